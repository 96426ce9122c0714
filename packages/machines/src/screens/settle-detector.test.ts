import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../testing/manual-clock.ts'
import { SettleDetector } from './settle-detector.ts'

const caret = { x: 400, y: 300, width: 2, height: 16 }
const window = { x: 0, y: 0, width: 640, height: 360 }

function settleDetector() {
  const clock = new ManualClock()
  return { clock, screen: new SettleDetector(clock) }
}

test('a screen has settled once nothing has changed for the quiet time, and not before', async () => {
  const { clock, screen } = settleDetector()
  screen.changed([window])
  let isSettled = false
  const settled = screen.settled({ quietMs: 200, maxMs: 5000 }).finally(() => {
    isSettled = true
  })
  await clock.advance(150)
  screen.changed([window])
  await clock.advance(199)
  assert.equal(isSettled, false)
  await clock.advance(1)
  assert.equal(await settled, true)
})

test('a screen settles although a caret blinks', async () => {
  const { clock, screen } = settleDetector()
  const settled = screen.settled({ quietMs: 700, maxMs: 2000 })
  for (let blink = 0; blink < 4; blink++) {
    screen.changed([caret])
    await clock.advance(500)
  }
  assert.equal(await settled, true)
})

test('a screen that keeps changing is reported as not settled after the max time', async () => {
  const { clock, screen } = settleDetector()
  const settled = screen.settled({ quietMs: 200, maxMs: 400 })
  for (let frame = 0; frame < 4; frame++) {
    screen.changed([window])
    await clock.advance(100)
  }
  assert.equal(await settled, false)
})

test('waiting for a screen to settle can be aborted', async () => {
  const { screen } = settleDetector()
  const stop = new AbortController()
  const settled = screen.settled({ quietMs: 200, maxMs: 400, signal: stop.signal })
  stop.abort()
  await assert.rejects(settled, { name: 'AbortError' })
})
