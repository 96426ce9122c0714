import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { MachineError } from '@sandglass/machines/contract'
import { FakeProcess, fakeMachine } from '../testing/fake-machine.ts'
import { throughRpc } from '../testing/through-rpc.ts'

const fails = (code: string) => (error: unknown) => error instanceof MachineError && error.code === code

async function run() {
  const inside = new FakeProcess()
  const reached = await throughRpc(fakeMachine({}, { exec: async () => inside }))
  return { inside, ...reached, process: await reached.exec({ executable: 'program' }) }
}

test('an output that nobody reads does not block the other', async () => {
  const { inside, process, caller } = await run()
  const piece = Buffer.alloc(64 * 1024)
  const print = () => {
    while (inside.stdout.write(piece));
    inside.stdout.once('drain', print)
  }
  print()
  inside.stderr.end('trouble')
  assert.equal(await text(process.stderr), 'trouble')
  assert.ok(inside.stdout.writableNeedDrain)
  caller.close()
})

test('a program is released when the front is gone', async () => {
  const { inside, caller } = await run()
  caller.close()
  await inside.released
})

test('a program that starts when the front is gone already is released', async () => {
  const inside = new FakeProcess()
  const started = Promise.withResolvers<FakeProcess>()
  const asked = Promise.withResolvers<void>()
  const exec = () => {
    asked.resolve()
    return started.promise
  }
  const { exec: remoteExec, caller, responder } = await throughRpc(fakeMachine({}, { exec }))
  const starting = assert.rejects(remoteExec({ executable: 'program' }), fails('UNREACHABLE'))
  await asked.promise
  caller.close()
  await responder.ended
  started.resolve(inside)
  await inside.released
  // A detached program goes on, and must not wait for somebody who reads what it prints.
  if (!inside.stdout.closed) await new Promise(resolve => inside.stdout.once('close', resolve))
  await starting
})

test('a program that ended closes its input, and is gone when the machine says so', async () => {
  const { inside, process, caller } = await run()
  const closed = new Promise(resolve => process.stdin.once('close', resolve))
  inside.stdin.destroy()
  inside.exit.resolve({ code: 3 })
  assert.deepEqual(await process.exited, { code: 3 })
  await closed
  assert.equal(process.stdin.errored, null)
  inside.end.resolve()
  await process.gone
  caller.close()
})

test('the exit of a program fails as the machine says, and as unreachable when the worker ends', async () => {
  const ended = await run()
  ended.inside.exit.reject(new MachineError('MACHINE_FAILED', 'the machine ended'))
  await assert.rejects(ended.process.exited, fails('MACHINE_FAILED'))
  ended.caller.close()

  const { process, responder } = await run()
  const output = assert.rejects(text(process.stdout), fails('UNREACHABLE'))
  responder.close()
  await assert.rejects(process.exited, fails('UNREACHABLE'))
  await process.gone
  await output
})

test('an exit status that no program has is refused, and the worker goes on', async () => {
  const { inside, process, caller, exec } = await run()
  inside.exit.resolve({ code: 1e300 })
  await assert.rejects(process.exited, fails('STATE'))
  assert.equal((await exec({ executable: 'program' })).pid, 7)
  caller.close()
})
