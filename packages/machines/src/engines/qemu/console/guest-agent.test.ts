import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { ExecSpec } from '../../../contract/process.ts'
import { consoleGuest } from '../../../guests/console.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import { exec } from './agent/exec.ts'
import { GuestAgent } from './agent/guest-agent.ts'
import { ConsoleFiles } from './files/console-files.ts'
import { TestGuestAgent } from './test-guest-agent.ts'

const guest = consoleGuest('linux')

describe("QEMU's guest agent", { timeout: 600_000 }, () => {
  let test: TestGuestAgent
  let agent: GuestAgent
  let files: ConsoleFiles
  before(async () => {
    test = await TestGuestAgent.start()
    agent = new GuestAgent(test.access, true)
    files = new ConsoleFiles(agent, guest, test.access)
  })
  after(() => test?.close())

  const run = async (spec: ExecSpec, input = '') => {
    const process = await exec(agent, guest, spec)
    process.stdin.end(input)
    const [stdout, stderr, { code }] = await Promise.all([
      text(process.stdout),
      text(process.stderr),
      process.exited,
    ])
    return { stdout, stderr, code }
  }
  const shell = (script: string) => run({ executable: 'sh', args: ['-c', script] })

  describe('runs programs', () => {
    it('with arguments as they are, and reports both outputs and the exit code', async () => {
      const args = ['-c', 'printf "%s|" "$@"; echo err >&2; exit 3', 'sh', 'a b', '', '\'"$HOME', '漢\n']
      assert.deepEqual(await run({ executable: 'sh', args }), {
        stdout: 'a b||\'"$HOME|漢\n|',
        stderr: 'err\n',
        code: 3,
      })
    })

    it('with their input, environment and working directory', async () => {
      assert.deepEqual((await run({ executable: 'cat' }, 'all of it')).stdout, 'all of it')
      const env = { GREETING: 'hello = world', EMPTY: '' }
      const script = 'echo "$GREETING|$EMPTY|$HOME|$PWD"'
      const spec = { executable: 'sh', args: ['-c', script], env, workingDirectory: '/tmp' }
      assert.equal((await run(spec)).stdout, 'hello = world||/root|/tmp\n')
      assert.equal((await run({ executable: 'pwd' })).stdout, '/root\n')
    })

    it('that are in the PATH or have a path, and says why others cannot be started', async () => {
      const refused = (spec: ExecSpec, code: string) => assert.rejects(run(spec), { code })
      await refused({ executable: 'nonesuch' }, 'NOT_FOUND')
      await refused({ executable: '/nonesuch/x' }, 'NOT_FOUND')
      await refused({ executable: '/usr/share' }, 'DENIED')
      await refused({ executable: 'true', workingDirectory: '/nonesuch' }, 'NOT_FOUND')
      await refused({ executable: 'true', workingDirectory: '/usr/bin/env' }, 'WRONG_KIND')
      await refused({ executable: 'a\0b' }, 'INVALID')
      await refused({ executable: 'true', env: { 'A=B': '' } }, 'INVALID')
      await refused({ executable: 'true', user: 'ada' }, 'INVALID')
      await refused({ executable: 'sh', terminal: { rows: 24, columns: 80 } }, 'LACKS_AGENT')
    })

    it('and ends them together with what they started', async () => {
      const process = await exec(agent, guest, {
        executable: 'sh',
        args: ['-c', 'sleep 971 & sleep 972; true'],
      })
      process.stdin.end()
      const list = async () => (await run(guest.listProcesses)).stdout
      await waitFor(async () => /sleep 971.*sleep 972/.test(await list()))
      process.kill()
      assert.deepEqual(await process.exited, { code: 137, signal: 9 })
      await waitFor(async () => !/sleep 97/.test(await list()))
    })

    it('and kills them when their signal fires, also before they have started', async () => {
      const stop = new AbortController()
      const process = await exec(agent, guest, { executable: 'sleep', args: ['973'], signal: stop.signal })
      stop.abort()
      assert.equal((await process.exited).signal, 9)
    })

    it('whose caller never ends their input', async () => {
      const process = await exec(agent, guest, { executable: 'echo', args: ['started'] })
      assert.equal(await text(process.stdout), 'started\n')
    })

    it('unless they print more than the agent passes on', async () => {
      const process = await exec(agent, guest, {
        executable: 'head',
        args: ['-c', '17000000', '/dev/zero'],
      })
      process.stdin.end()
      await assert.rejects(process.exited, { code: 'STATE', message: /print to a file/ })
      assert.equal((await shell('echo next')).stdout, 'next\n')
    })
  })

  describe('has files', () => {
    it('that are written with their folders, described, and read in parts', async () => {
      const content = Buffer.alloc(700_001, 'content ')
      const info = await files.write("a folder/it's.bin", Readable.from([content]), { mode: 0o600 })
      assert.deepEqual(
        [info.name, info.kind, info.size, info.mode],
        ["it's.bin", 'file', content.length, 0o600],
      )
      assert.deepEqual(await readFile(join(test.root, "root/a folder/it's.bin")), content)
      assert.deepEqual(await buffer(await files.read("a folder/it's.bin")), content)
      const part = await files.read("/root/a folder/it's.bin", { offset: 500_000, length: 9 })
      assert.deepEqual(await buffer(part), content.subarray(500_000, 500_009))
      assert.deepEqual(await files.stat("a folder/it's.bin"), info)
      assert.equal((await files.list('a folder')).entries.length, 1, 'no part is left over')
    })

    it('that are listed in pages, with names of any kind and the targets of links', async () => {
      await shell(`mkdir -p /tmp/names && cd /tmp/names && touch 'b
c' -- -d ' ./e/' 2>/dev/null; touch 'b
c' ./-d ' e' && mkdir f && ln -s ../x g`)
      const { entries, next } = await files.list('/tmp/names', { limit: 3 })
      assert.deepEqual(
        entries.map(({ name, kind }) => [name, kind]),
        [
          [' e', 'file'],
          ['-d', 'file'],
          ['b\nc', 'file'],
        ],
      )
      const rest = await files.list('/tmp/names', next === undefined ? {} : { after: next })
      assert.deepEqual(
        rest.entries.map(({ name, kind, target }) => [name, kind, target]),
        [
          ['f', 'directory', undefined],
          ['g', 'symlink', '../x'],
        ],
      )
      assert.equal(rest.next, undefined)
    })

    it('that are copied, moved and removed', async () => {
      await files.write('/tmp/one', Buffer.from('1'), { mode: 0o640 })
      assert.equal((await files.copy('/tmp/one', '/tmp/deep/two')).mode, 0o640)
      await files.move('/tmp/deep/two', '/tmp/three/four')
      assert.equal(await text(await files.read('/tmp/three/four')), '1')
      const keep = files.move('/tmp/one', '/tmp/three/four', { overwrite: false })
      await assert.rejects(keep, { code: 'EXISTS' })
      await files.makeDirectory('/tmp/five/six')
      await files.makeDirectory('/tmp/five/six')
      await assert.rejects(files.makeDirectory('/tmp/one'), { code: 'EXISTS' })
      await files.remove('/tmp/three')
      await files.remove('/tmp/three')
      await assert.rejects(stat(join(test.root, 'tmp/three')), { code: 'ENOENT' })
    })

    it('and says why others cannot be used', async () => {
      await shell('mkfifo /tmp/pipe')
      const refused = (work: Promise<unknown>, code: string) => assert.rejects(work, { code })
      await refused(files.read('/nonesuch'), 'NOT_FOUND')
      await refused(files.stat('/nonesuch'), 'NOT_FOUND')
      await refused(files.list('/nonesuch'), 'NOT_FOUND')
      await refused(files.list('/tmp/pipe'), 'WRONG_KIND')
      await refused(files.read('/tmp/pipe'), 'WRONG_KIND')
      await refused(files.read('/tmp'), 'WRONG_KIND')
      await refused(files.write('/tmp', Buffer.from('')), 'WRONG_KIND')
      await refused(files.write('/usr/x', Buffer.from('')), 'DENIED')
      await refused(files.stat('a\0b'), 'INVALID')
      await refused(files.stat('x', { user: 'ada' }), 'INVALID')
      await refused(files.watch(), 'LACKS_AGENT')
    })

    it('whose content is refused if it changes while it is read', async () => {
      const path = join(test.root, 'tmp/changing')
      await writeFile(path, 'before')
      const steady = await files.open('/tmp/changing')
      await writeFile(path, 'after!')
      await assert.rejects(text(steady.read({ steady: true })), { code: 'STATE', message: /changed/ })
      const shorter = await files.open('/tmp/changing')
      await writeFile(path, 'x')
      await assert.rejects(text(shorter.read()), { code: 'STATE', message: /changed/ })
    })

    it('of which nothing is left if the content cannot be written to its end', async () => {
      async function* broken() {
        yield Buffer.from('some')
        throw new Error('the source broke')
      }
      await assert.rejects(files.write('/tmp/broken/file', Readable.from(broken())), /the source broke/)
      assert.deepEqual((await files.list('/tmp/broken')).entries, [])
    })
  })
})
