import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Certificate } from './certificate.ts'
import { graceMs, leadMs, renewedAtAgeMs, rotationAt, validMs } from './timeline.ts'

const certificate = (generation: number, madeAtMs: number): Certificate => ({
  key: '',
  cert: '',
  hashBase64: String(generation),
  generation,
  madeAtMs,
  expiresAtMs: madeAtMs + validMs,
})

const first = certificate(0, 0)
const second = certificate(1, renewedAtAgeMs)

const at = (nowMs: number, made = [first, second]) => {
  const { current, served, isNextDue } = rotationAt(made, nowMs)
  return { current: current?.generation, served: served.map(one => one.generation), isNextDue }
}

test('without a certificate one is due, and the first is given out immediately', () => {
  assert.deepEqual(at(0, []), { current: undefined, served: [], isNextDue: true })
  assert.deepEqual(at(0, [first]), { current: 0, served: [0], isNextDue: false })
})

test('a successor is due after ten days, and at first it is only served', () => {
  assert.equal(at(renewedAtAgeMs - 1, [first]).isNextDue, false)
  assert.deepEqual(at(renewedAtAgeMs, [first]), { current: 0, served: [0], isNextDue: true })
  assert.deepEqual(at(renewedAtAgeMs), { current: 0, served: [0, 1], isNextDue: false })
})

test('a predecessor is served until nobody can hold its hash any more', () => {
  const givenOut = renewedAtAgeMs + leadMs
  assert.equal(at(givenOut - 1).current, 0)
  assert.deepEqual(at(givenOut), { current: 1, served: [0, 1], isNextDue: false })
  assert.deepEqual(at(givenOut + graceMs - 1).served, [0, 1])
  assert.deepEqual(at(givenOut + graceMs).served, [1])
})

test('every hash is served for more than an hour after it was last given out, and is valid all that time', () => {
  for (let nowMs = 0; nowMs < renewedAtAgeMs + leadMs + graceMs; nowMs += 300_000) {
    const made = nowMs < second.madeAtMs ? [first] : [first, second]
    const { current } = rotationAt(made, nowMs)
    const laterMs = nowMs + 3_600_000
    const later = rotationAt(laterMs < second.madeAtMs ? [first] : [first, second], laterMs)
    assert.ok(current && later.served.includes(current), `given out at ${nowMs}`)
    assert.ok(current.expiresAtMs > laterMs)
  }
})

test('each state says when the next change is due', () => {
  const moments: number[] = []
  let made = [first]
  for (let nowMs = 0; moments.length < 4; ) {
    nowMs = rotationAt(made, nowMs).changesAtMs
    if (nowMs >= second.madeAtMs) made = [first, second]
    moments.push(nowMs)
  }
  assert.deepEqual(moments.slice(-2), [second.madeAtMs, second.madeAtMs + leadMs])
})

test('after a long stop, a certificate that is about to expire is not given out', () => {
  assert.deepEqual(at(validMs - leadMs - graceMs, [first]), {
    current: undefined,
    served: [],
    isNextDue: true,
  })
})
