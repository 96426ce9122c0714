import assert from 'node:assert/strict'
import { type Duplex, duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { MachineError } from '@sandglass/machines/contract'
import { fakeMachine } from '../testing/fake-machine.ts'
import { throughRpc } from '../testing/through-rpc.ts'

async function connect() {
  const [inside, dialled] = duplexPair()
  const reached = await throughRpc(fakeMachine({}, { dial: async () => dialled }))
  return { ...reached, inside, connection: await reached.dial('tcp:127.0.0.1:80') }
}

test('each direction of a connection ends by itself', async () => {
  const { inside, connection, caller } = await connect()
  connection.end('question')
  let question = ''
  for await (const piece of inside.iterator({ destroyOnReturn: false })) question += piece
  assert.equal(question, 'question')
  inside.end('answer')
  assert.equal(await text(connection), 'answer')
  caller.close()
})

for (const [what, close] of Object.entries({
  'its user closes it': ({ connection }: Awaited<ReturnType<typeof connect>>) => connection.destroy(),
  'the front is gone': ({ caller }: Awaited<ReturnType<typeof connect>>) => caller.close(),
}))
  test(`a connection into a machine is closed when ${what}`, async () => {
    const dialled = Promise.withResolvers<void>()
    const [, end] = duplexPair()
    end.once('close', () => dialled.resolve())
    const reached = await throughRpc(fakeMachine({}, { dial: async () => end }))
    const connection = await reached.dial('tcp:127.0.0.1:80')
    close({ ...reached, inside: end, connection })
    await dialled.promise
    reached.caller.close()
  })

test('a connection into a machine that comes when the front is gone already is closed', async () => {
  const [, end] = duplexPair()
  const closed = new Promise(resolve => end.once('close', resolve))
  const dialled = Promise.withResolvers<Duplex>()
  const asked = Promise.withResolvers<void>()
  const dial = () => {
    asked.resolve()
    return dialled.promise
  }
  const { dial: remoteDial, caller, responder } = await throughRpc(fakeMachine({}, { dial }))
  const dialling = assert.rejects(remoteDial('tcp:127.0.0.1:80'))
  await asked.promise
  caller.close()
  await responder.ended
  dialled.resolve(end)
  await Promise.all([closed, dialling])
})

test('a connection fails as unreachable when the worker ends', async () => {
  const { connection, responder } = await connect()
  const read = text(connection)
  responder.close()
  await assert.rejects(read, error => error instanceof MachineError && error.code === 'UNREACHABLE')
})
