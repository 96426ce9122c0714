import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Machine } from '../../../contract/machine.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import { idOf } from '../handle.ts'
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

/** Finds the child process of the agent that serves a request. */
async function worker(): Promise<number | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  for (const child of children.trim().split(' ').filter(Boolean)) {
    const name = await readFile(`/proc/${child}/comm`, 'utf8').catch(() => '')
    if (name.trim() === 'python3') return Number(child)
  }
  return undefined
}

test('a long request is not aborted while the agent answers pings', async () => {
  await run('head -c 150M /dev/zero > /tmp/large')
  const copied = machine.files.copy('/tmp/large', '/tmp/copy')
  let busy: number | undefined
  await waitFor(async () => {
    busy = await worker()
    if (busy !== undefined) process.kill(busy, 'SIGSTOP')
    return busy !== undefined
  })
  // Longer than the timeout for a hung agent.
  await pause(12_000)
  process.kill(busy ?? 0, 'SIGCONT')
  assert.equal((await copied).size, 150 * 1024 * 1024)
})
