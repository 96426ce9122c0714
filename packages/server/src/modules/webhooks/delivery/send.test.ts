import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { test } from 'node:test'
import { Outbound } from '../../../outbound/outbound.ts'
import { cleanup } from '../../../testing/cleanup.ts'
import { Receiver, verify } from '../testing/receiver.ts'
import { Sender } from './send.ts'

const message = { id: 'evt_1', subject: 'sandbox', body: '{"type":"sandbox.created"}' }
const key = Buffer.alloc(32, 7)
const keys = [createSecretKey(key)]
const clock = { now: () => Date.now() }

function senderTo(addresses: readonly string[][]): Sender {
  const answers = [...addresses]
  const resolve = async () => (answers.shift() ?? []).map(address => ({ address, family: 4 }))
  const outbound = new Outbound(['127.0.0.1/32'], resolve)
  cleanup.defer(() => outbound.close())
  return new Sender(outbound, clock, 5000)
}

test('an endpoint whose name resolves to a private address is not called', async () => {
  const receiver = await Receiver.start()
  const named = (name: string) => receiver.url.replace('127.0.0.1', name)
  const sender = senderTo([['10.1.2.3', '127.0.0.2'], ['127.0.0.1']])
  const { attempt } = await sender.send({ url: named('private.example'), keys }, message)
  assert.equal(attempt.status, null)
  assert.match(attempt.error ?? '', /private or reserved network/)
  assert.doesNotMatch(attempt.error ?? '', /10\.1\.2\.3|hush/)
  assert.equal(receiver.got.length, 0)
  const allowed = await sender.send({ url: named('allowed.example'), keys }, message)
  assert.equal(allowed.attempt.status, 204)
  const [received] = receiver.got
  assert.ok(received)
  verify(`whsec_${key.toString('base64')}`, received)
})

test('nothing is sent without a key, and the attempt says how to get one', async () => {
  const receiver = await Receiver.start()
  const { attempt } = await senderTo([]).send({ url: receiver.url, keys: [] }, message)
  assert.match(attempt.error ?? '', /Rotate the secret/)
  assert.equal(receiver.got.length, 0)
})

test('a connection that breaks is a failed attempt', async () => {
  const receiver = await Receiver.start(response => void response.socket?.destroy())
  const { attempt } = await senderTo([]).send({ url: receiver.url, keys }, message)
  assert.match(attempt.error ?? '', /it closed the connection/)
})
