import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginning, logLimit, OutputLog } from './output-log.ts'

const never = new AbortController().signal
const chunk = Buffer.alloc(64 * 1024, 'x')

test('a reader takes every entry once, and can resume from any earlier position', () => {
  const log = new OutputLog()
  for (const text of ['one', 'two', 'three']) log.append('stdout', Buffer.from(text))
  const reader = log.reader(beginning)
  const texts = () => String(reader.take()?.entry.bytes)
  assert.equal(texts(), 'one')
  const place = reader.position
  assert.deepEqual([texts(), texts(), reader.take()], ['two', 'three', undefined])
  assert.equal(String(log.take(place)?.entry.bytes), 'two')
})

test('the oldest entries are dropped above the limit, even tiny ones, and the dropped bytes are counted exactly', () => {
  for (const bytes of [chunk, Buffer.from('y')]) {
    const log = new OutputLog()
    const total = Math.ceil((3 * logLimit) / bytes.length / (bytes.length > 1 ? 1 : 64))
    for (let i = 0; i < total; i++) log.append('stdout', bytes)
    const reader = log.reader(beginning)
    let dropped = 0
    let read = 0
    let entries = 0
    for (let taken = reader.take(); taken; taken = reader.take()) {
      dropped += taken.droppedBytes
      read += taken.entry.bytes.length
      entries++
    }
    assert.equal(dropped + read, total * bytes.length)
    assert.ok(dropped > 0 && read <= logLimit && entries <= logLimit / 256)
  }
})

test('the writer waits for the fastest reader, and does not wait when all have closed', async () => {
  const log = new OutputLog()
  const [fast, slow] = [log.reader(beginning), log.reader(beginning)]
  const fill = () => {
    for (let i = 0; i < 10; i++) log.append('stdout', chunk)
  }
  fill()
  let isReleased = false
  const waiting = log.waitForReaders(never).then(() => {
    isReleased = true
  })
  fast.take()
  await Promise.resolve()
  assert.equal(isReleased, false)
  while (fast.take());
  await waiting
  fill()
  fast.close()
  const again = log.waitForReaders(never)
  slow.close()
  await again
})

test('a wait for output ends with new output, a timeout or an abort', async () => {
  const log = new OutputLog()
  const waiting = log.appended(60_000, never)
  log.append('end')
  assert.equal(await waiting, true)
  assert.equal(await log.appended(1, never), false)
  assert.equal(await log.appended(60_000, AbortSignal.abort()), false)
})
