import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AdbCommand } from '@yume-chan/adb'
import { MachineError } from '../contract/errors.ts'
import { FlowControl, windowBytes, windowPackets } from './flow-control.ts'

const none = new Uint8Array(0)
const write = (id: number, length: number) => ({
  command: AdbCommand.Write,
  arg0: 9,
  arg1: id,
  payload: new Uint8Array(length),
})
const close = (id: number) => ({ command: AdbCommand.Close, arg0: 9, arg1: id, payload: none })
const okay = (id: number, bytes: number) => {
  const payload = Buffer.alloc(4)
  payload.writeUInt32LE(bytes)
  return { command: AdbCommand.Okay, arg0: id, arg1: 9, payload }
}

test('the close of a stream waits until its data was acknowledged, and does not delay other streams', () => {
  const flow = new FlowControl()
  assert.ok(flow.received(write(1, 10)))
  assert.ok(flow.received(write(1, 5)))
  assert.equal(flow.received(close(1)), false)
  assert.equal(flow.received(close(2)), true)
  assert.equal(flow.sent(okay(1, 10)), undefined)
  assert.deepEqual(flow.sent(okay(1, 5)), close(1))
  assert.equal(flow.received(close(1)), true)
})

test('closing a stream from our side, or an acknowledgement without a byte count, releases the pending close', () => {
  for (const said of [AdbCommand.Close, AdbCommand.Okay]) {
    const flow = new FlowControl()
    flow.received(write(1, 10))
    flow.received(close(1))
    assert.deepEqual(flow.sent({ command: said, arg0: 1, arg1: 9, payload: none }), close(1))
  }
})

test('a device that exceeds the flow control window is refused', () => {
  const flow = new FlowControl()
  flow.received(write(1, windowBytes))
  flow.received(write(2, windowBytes))
  assert.throws(() => flow.received(write(1, 1)), MachineError)
})

test('a device that sends very many packets, even empty ones, without an acknowledgement is refused', () => {
  const flow = new FlowControl()
  for (let sent = 0; sent < 3 * windowPackets; sent++) {
    flow.received(write(1, 1))
    flow.received(write(1, 1))
    flow.sent(okay(1, 1))
    flow.sent(okay(1, 1))
  }
  for (let sent = 0; sent < windowPackets; sent++) flow.received(write(2, 0))
  assert.throws(() => flow.received(write(2, 0)), MachineError)
})
