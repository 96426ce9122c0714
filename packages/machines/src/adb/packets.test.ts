import assert from 'node:assert/strict'
import { duplexPair } from 'node:stream'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { AdbCommand } from '@yume-chan/adb'
import { Consumable } from '@yume-chan/stream-extra'
import { encodePacket, packetsOver } from './packets.ts'

const okay = encodePacket({
  command: AdbCommand.Okay,
  arg0: 7,
  arg1: 9,
  checksum: 0,
  magic: AdbCommand.Okay ^ 0xffffffff,
  payload: new Uint8Array(4),
})

/** A connection whose limits do not recover, so that a slow box finds them exhausted as well. */
function connect() {
  const [near, far] = duplexPair()
  far.on('error', () => {})
  return { near, far, ...packetsOver(near, () => 0) }
}

it('a name of a service ends with a zero, up to which devices read it', async () => {
  const { far, writable } = connect()
  const writer = writable.getWriter()
  const open = (payload: Buffer) => ({
    command: AdbCommand.Open,
    arg0: 1,
    arg1: 0,
    checksum: 0,
    magic: AdbCommand.Open ^ 0xffffffff,
    payload,
  })
  for (const name of ['tcp:7001', 'tcp:7001\0']) {
    await Consumable.WritableStream.write(writer, open(Buffer.from(name)))
    assert.deepEqual(far.read(), encodePacket(open(Buffer.from('tcp:7001\0'))))
  }
})

describe('the packets of a device that is not trusted', () => {
  it('are passed on a few at a time, so that a chunk of thousands does not block others', async () => {
    const { far, readable } = connect()
    const reader = readable.getReader()
    far.write(Buffer.alloc(2000 * okay.length, okay))
    let [turns, packets] = [0, 0]
    const counting = (async () => {
      for (; packets < 2000; turns++) await setImmediate()
    })()
    while (packets < 2000) {
      const { done } = await reader.read()
      assert.equal(done, false)
      packets++
    }
    await counting
    assert.ok(turns >= 10, `${turns} turns`)
  })

  it('arrive completely although the connection ends', async () => {
    const { far, readable } = connect()
    far.end(Buffer.alloc(1000 * okay.length, okay))
    let packets = 0
    for await (const _ of readable) packets++
    assert.equal(packets, 1000)
  })

  it('end the connection if there are too many', async () => {
    const { near, far, readable } = connect()
    const flood = Buffer.alloc(1000 * okay.length, okay)
    for (let sent = 0; sent < 60; sent++) far.write(flood)
    let packets = 0
    await assert.rejects(
      async () => {
        for await (const _ of readable) packets++
      },
      { code: 'MACHINE_FAILED', message: /more than 50000 packets per second/ },
    )
    assert.ok(packets <= 50_000)
    assert.ok(near.destroyed)
  })

  it('end the connection if the device does not read the answers to them', async () => {
    const { far, readable, writable } = connect()
    const writer = writable.getWriter()
    const answer = {
      command: AdbCommand.Close,
      arg0: 1,
      arg1: 2,
      checksum: 0,
      magic: AdbCommand.Close ^ 0xffffffff,
      payload: new Uint8Array(200_000),
    }
    // The first write waits until the device reads.
    writer.write(new Consumable(answer)).catch(() => {})
    await setImmediate()
    for (let sent = 0; sent < 20; sent++) far.write(Buffer.alloc(1000 * okay.length, okay))
    await assert.rejects(
      async () => {
        for await (const _ of readable);
      },
      { code: 'MACHINE_FAILED', message: /does not read/ },
    )
  })
})
