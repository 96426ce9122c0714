import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../../local/host/run-command.ts'
import { confinedCommand } from './confined-root.ts'

test('a confined program has the given files, and nothing else of the host', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
  try {
    const [mine, other] = [join(folder, 'mine'), join(folder, 'other')]
    await writeFile(mine, 'content of mine', { mode: 0o600 })
    await writeFile(other, 'content of other', { mode: 0o644 })
    const script = `
      echo "user $(id -u) has $(cat /mine)"
      cat ${other} /etc/passwd 2>/dev/null && echo reached
      echo changed 2>/dev/null > /mine && echo changed
      ls /proc /host
      echo "processes $$"
      { bash -c 'exec 3<>/dev/tcp/127.0.0.1/22' || cat /sys/class/net/*; } 2>/dev/null && echo network
      ls /`
    const places = [{ path: mine, at: '/mine' }]
    const run = (readsAnyOwner: boolean) => {
      const [command, ...args] = confinedCommand({ places, readsAnyOwner }, ['sh', '-c', script])
      return runCommand(command, args)
    }
    const printed = await run(true)
    assert.match(printed, /^user 65534 has content of mine$/m)
    assert.doesNotMatch(printed, /reached|changed|network/)
    const listed = printed.split('\n')
    for (const name of ['usr', 'dev', 'mine']) assert.ok(listed.includes(name), printed)
    for (const name of ['root', 'home', 'var', 'run', 'sys']) assert.ok(!listed.includes(name), printed)
    assert.match(await run(false), /^user 65534 has $/m, 'it cannot read what another user keeps for himself')
    assert.ok(existsSync('/sys/kernel'), 'the host keeps its own folders')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
