import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Machine } from '../../../contract/machine.ts'
import { idOf } from '../handle.ts'
import { runCommand } from '../host/run-command.ts'
import type { LocalEngine } from '../local-engine.ts'
import { machinePaths } from '../machine-paths.ts'
import { findInit } from '../oci/init-process.ts'
import { type TestEngine, testEngine, testSpec } from '../test-engine.ts'

let fixture: TestEngine
let engine: LocalEngine
let machine: Machine
let pid: number
before(async () => {
  fixture = await testEngine()
  engine = fixture.open()
  machine = await engine.open(await engine.create(testSpec()))
  pid = (await findInit(machinePaths(engine.settings, idOf(machine.handle))))?.pid ?? assert.fail()
})
after(async () => {
  await engine?.close()
  await fixture?.dispose()
})

const run = async (script: string) =>
  (await text((await machine.exec({ executable: 'sh', args: ['-c', script] })).stdout)).trim()

test('requests to a hung agent fail, and later ones succeed', async () => {
  process.kill(pid, 'SIGSTOP')
  const refused = { code: 'MACHINE_FAILED', message: /did not answer within/ }
  await Promise.all([
    assert.rejects(machine.files.stat('/etc/passwd'), refused),
    assert.rejects(run('true'), refused),
  ])
  process.kill(pid, 'SIGCONT')
  assert.equal(await run('echo here'), 'here')
})

test('a long request is not aborted while the agent answers pings', async () => {
  await run('head -c 1M /dev/zero > /tmp/large')
  const { diskMount } = machinePaths(engine.settings, idOf(machine.handle))
  // Whoever writes to the disk waits.
  await runCommand('fsfreeze', ['--freeze', diskMount])
  const copied = machine.files.copy('/tmp/large', '/tmp/copy')
  // Longer than the timeout for a hung agent.
  const early = await Promise.race([copied.catch((error: unknown) => error), pause(12_000)]).finally(() =>
    runCommand('fsfreeze', ['--unfreeze', diskMount]),
  )
  assert.equal(early, undefined)
  assert.equal((await copied).size, 1024 * 1024)
})
