import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FlowControl } from './flow-control.ts'

interface Link {
  readonly roundTripMs: number
  readonly bytesPerMs: number
  readonly frameBytes: number
}

/**
 * Sends sixty frames per second for a while, as far as the flow control allows, and returns how many were sent and
 * how long the last one took.
 */
function simulate({ roundTripMs, bytesPerMs, frameBytes }: Link): { sent: number; delayMs: number } {
  const flowControl = new FlowControl()
  const inFlight: { sequence: number; sentMs: number; arrivesMs: number }[] = []
  let [sent, freeAtMs, delayMs] = [0, 0, 0]
  for (let nowMs = 0; nowMs < 8000; nowMs++) {
    while ((inFlight[0]?.arrivesMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
      const frame = inFlight.shift()
      if (!frame) break
      delayMs = nowMs - frame.sentMs
      flowControl.acknowledged(frame.sequence, nowMs)
    }
    if (nowMs % 16 !== 0 || !flowControl.isOpen) continue
    const sequence = flowControl.nextSequence()
    flowControl.sent(frameBytes, nowMs)
    freeAtMs = Math.max(freeAtMs, nowMs) + frameBytes / bytesPerMs
    inFlight.push({ sequence, sentMs: nowMs, arrivesMs: freeAtMs + roundTripMs })
    if (nowMs >= 4000) sent++
  }
  return { sent, delayMs }
}

/** The number of frames in the last four seconds. */
const all = 250

test('both a near and a distant viewer get every frame', () => {
  assert.equal(simulate({ roundTripMs: 2, bytesPerMs: 10_000, frameBytes: 20_000 }).sent, all)
  assert.equal(simulate({ roundTripMs: 200, bytesPerMs: 10_000, frameBytes: 20_000 }).sent, all)
  assert.equal(simulate({ roundTripMs: 600, bytesPerMs: 10_000, frameBytes: 5000 }).sent, all)
})

test('a slow link is kept busy without building up a queue', () => {
  const { sent, delayMs } = simulate({ roundTripMs: 40, bytesPerMs: 250, frameBytes: 20_000 })
  assert.ok(sent >= 45, `${sent} of the 50 that it can carry`)
  assert.ok(delayMs < 500, `${delayMs} ms`)
})

test('few frames are sent without an acknowledgement, and acknowledging an unknown number changes nothing', () => {
  const flowControl = new FlowControl()
  let sent = 0
  for (; flowControl.isOpen; sent++) flowControl.sent(100)
  assert.ok(sent <= 8, `${sent} frames`)
  for (const sequence of [0, sent + 1, 0xffffffff]) flowControl.acknowledged(sequence)
  assert.equal(flowControl.isOpen, false)
  flowControl.acknowledged(sent)
  assert.ok(flowControl.isOpen && flowControl.isIdle)
})

test('one large frame may always be sent', () => {
  const flowControl = new FlowControl()
  flowControl.sent(5_000_000)
  assert.equal(flowControl.isOpen, false)
  flowControl.acknowledged(1)
  assert.ok(flowControl.isOpen)
})
