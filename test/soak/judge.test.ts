import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeded } from '@sandglass/wire/testing'
import { judge } from './judge.ts'

const minute = 60_000
const MiB = 2 ** 20
const random = seeded(4780)

/** Half an hour of samples of one figure. */
function verdictOf(name: string, value: (minutes: number) => number) {
  const samples = Array.from({ length: 60 }, (_, at) => ({
    atMs: (at * minute) / 2,
    figures: new Map([[name, value(at / 2)]]),
  }))
  return judge(samples)[0]?.verdict
}

test('what grows leaks, unless a retention bounds it', () => {
  assert.equal(
    verdictOf('rows: sandboxes', minutes => minutes),
    'leaks',
  )
  assert.equal(
    verdictOf('memory: front, private', minutes => (100 + 2 * minutes) * MiB),
    'leaks',
  )
  assert.equal(
    verdictOf('rows: audit_log', minutes => 100 * minutes),
    'bounded',
  )
})

test('what goes up and down, or falls, is flat', () => {
  assert.equal(
    verdictOf('descriptors: front', () => 50 + 40 * random()),
    'flat',
  )
  assert.equal(
    verdictOf('memory: front, private', () => (200 + 100 * random()) * MiB),
    'flat',
  )
  assert.equal(
    verdictOf('processes: machines', minutes => 100 - minutes),
    'flat',
  )
})

test('a few samples are not judged', () => {
  const samples = [0, 1, 2].map(at => ({
    atMs: at * minute,
    figures: new Map([['rows: sandboxes', 100 * at]]),
  }))
  assert.equal(judge(samples)[0]?.verdict, 'unknown')
})

test('a step that happens once is not a leak, and a staircase is one', () => {
  assert.equal(
    verdictOf('kernel: mounts', minutes => (minutes < 25 ? 10 : 40)),
    'flat',
  )
  assert.equal(
    verdictOf('kernel: mounts', minutes => 10 + 5 * Math.floor(minutes / 3)),
    'leaks',
  )
})
