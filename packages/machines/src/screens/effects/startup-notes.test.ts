import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../testing/manual-clock.ts'
import { StartupNotes } from './startup-notes.ts'

/** Sends a text in pieces, as programs do. */
function send(notes: StartupNotes, text: string, window = 7): void {
  const bytes = Buffer.from(`${text}\0`)
  for (let at = 0; at < bytes.length; at += 20) {
    const message = new Uint8Array(32)
    new DataView(message.buffer).setUint32(4, window, true)
    message.set(bytes.subarray(at, at + 20), 12)
    notes.receive(message, at === 0)
  }
}

test('a program is announced until it says that its window is there', () => {
  const notes = new StartupNotes(new ManualClock())
  send(notes, 'new: ID="tint2-12/mousepad/1-2-box_TIME77" NAME="Mousepad" SCREEN=0')
  assert.equal(notes.isPending, true)
  send(notes, 'remove: ID=other')
  assert.equal(notes.isPending, true)
  send(notes, 'remove: ID=tint2-12/mousepad/1-2-box_TIME77')
  assert.equal(notes.isPending, false)
})

test('an announcement is forgotten if no window follows', async () => {
  const clock = new ManualClock()
  const notes = new StartupNotes(clock)
  send(notes, 'new: ID=x')
  await clock.advance(10_000)
  assert.equal(notes.isPending, false)
})

test('texts that never end, and announcements without an end, are not kept', () => {
  const notes = new StartupNotes(new ManualClock())
  const piece = new Uint8Array(32).fill(65)
  notes.receive(piece, true)
  for (let pieces = 0; pieces < 100_000; pieces++) notes.receive(piece, false)
  for (let id = 0; id < 1000; id++) send(notes, `new: ID=${id}`)
  for (let id = 0; id < 20; id++) send(notes, `remove: ID=${id}`)
  assert.equal(notes.isPending, false)
})
