import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PrintedBytes } from './printed-bytes.ts'
import { shellFrame } from './shell-frames.ts'

test('what a command prints on stdout is collected until it ends', () => {
  const printed = new PrintedBytes(100, true)
  assert.equal(printed.receive(shellFrame(1, Buffer.from('one '))), false)
  assert.equal(printed.receive(shellFrame(2, Buffer.from('complaint'))), false)
  assert.equal(printed.receive(shellFrame(1, Buffer.from('two'))), false)
  assert.equal(printed.receive(shellFrame(3, Buffer.of(0))), true)
  assert.equal(String(printed.whole), 'one two')
})

test('a command that prints more than allowed is refused, on whichever stream', () => {
  for (const id of [1, 2, 5]) {
    const printed = new PrintedBytes(10_000, true)
    const flood = shellFrame(id, Buffer.alloc(1000))
    assert.throws(() => {
      for (let sent = 0; sent < 11; sent++) printed.receive(flood)
    }, /more than 10000 bytes/)
  }
  assert.throws(() => new PrintedBytes(10, false).receive(Buffer.alloc(11)), { code: 'MACHINE_FAILED' })
})
