import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { ApiError, type RoomMessage } from '@sandglass/protocol'
import { encodeControl, FrameStream, parseControl } from '@sandglass/wire/frames'
import type { Elsewhere } from './host.ts'
import { FakeRoomHost } from './testing/fake-room-host.ts'

const hello = { room: 'room', token: 'ada view' }

/** Another house, of which there is no more than a wire to it and one back. */
function wires(): { elsewhere: Elsewhere; there: PassThrough; back: PassThrough } {
  const [there, back] = [new PassThrough(), new PassThrough()]
  const dial: Elsewhere['dial'] = async ({ stream }) => ({
    take: sent => {
      there.write(sent)
      stream.pipe(there)
      back.pipe(stream)
      stream.once('close', () => there.destroy())
    },
    drop: () => there.destroy(),
  })
  return { elsewhere: { dial }, there, back }
}

test('a peer whose machine is elsewhere is heard there from its first byte, and hears what is said there', async () => {
  const house = new FakeRoomHost()
  const { elsewhere, there, back } = wires()
  house.elsewhere = elsewhere
  const frames = new FrameStream()
  const heard: unknown[] = []
  there.on('data', chunk => {
    for (const frame of frames.receive(chunk)) heard.push(parseControl(frame))
  })
  const client = await house.connect()
  client.hello(hello)
  client.say({ kind: 'take' })
  await client.until(() => heard.length === 2)
  assert.deepEqual(heard, [
    { kind: 'hello', version: 1, name: 'Ada', video: false, ...hello },
    { kind: 'take' },
  ])
  const said: RoomMessage = { kind: 'machine', isThere: true }
  back.write(encodeControl(said))
  await client.message('machine')
  client.say({ kind: 'handBack' })
  await client.until(() => heard.length === 3)
  // It cannot be told goodbye, since that would land between bytes of the other house.
  await house.close()
  await client.until(() => client.isClosed)
  assert.equal(client.last('goodbye'), undefined)
  if (!there.destroyed) await once(there, 'close')
})

test('who was forwarded once is not forwarded again', async () => {
  const house = new FakeRoomHost()
  house.elsewhere = wires().elsewhere
  house.isForwarded = true
  const client = await house.connect()
  client.hello(hello)
  const { code, isFinal } = await client.goodbye()
  assert.deepEqual([code, isFinal], ['node.GONE', false])
  await house.close()
})

test('where the other process cannot be reached, the peer is told why', async () => {
  const house = new FakeRoomHost()
  house.elsewhere = { dial: () => Promise.reject(new ApiError('node.GONE')) }
  const client = await house.connect()
  client.hello(hello)
  assert.equal((await client.goodbye()).code, 'node.GONE')
  await house.close()
})

test('a peer without a token that holds is not forwarded', async () => {
  const house = new FakeRoomHost()
  house.elsewhere = { dial: () => assert.fail('it was forwarded') }
  const client = await house.connect()
  client.hello({ ...hello, token: 'ada fly' })
  assert.equal((await client.goodbye()).code, 'live.TOKEN_INVALID')
  await house.close()
})
