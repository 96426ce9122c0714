import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { patienceMs } from '@sandglass/machines/testing'
import { MachineInstallation } from '../support/machine-installation.ts'
import { comesAndGoes, type Figures, isMemory, measure, measureWhenQuiet } from './figures.ts'
import { liveManyTimes } from './sandbox-life.ts'

const lives = Number(process.env['LEAK_SANDBOXES'] ?? 80)
/** After this many sandboxes, everything that is created once and kept exists. */
const warmUp = 20
const atOnce = 4
/** Each encoder collects its garbage for the first time after some hundred pictures. */
const warmUpScreenshots = 40

/** Records that are kept permanently or for days. */
const mayGrow = new Set([
  'rows: audit_chain',
  'rows: audit_log',
  'rows: ended_sandboxes',
  'rows: events',
  'rows: sandbox_actions',
  'rows: usage_spans',
])

/** The pool has up to ten database connections, each with a handle, one or two timers, and a descriptor. */
const connections = 12

/**
 * malloc and V8 keep freed memory: up to 190 MiB more were seen after 200 sandboxes, and no more than that after 500.
 * With 80 sandboxes, a leak outside of V8 is found from 4.3 MiB per sandbox; with the 1000 of `npm run soak:tests`, from 0.3 MiB.
 */
const resident = 256 * 2 ** 20
/** The V8 heap after a collection hardly varies, so a leak of 0.15 MiB per sandbox is found; by `npm run soak:tests`, of 0.01 MiB. */
const collected = 9 * 2 ** 20

function allowance(name: string): number {
  if (mayGrow.has(name)) return Number.POSITIVE_INFINITY
  if (name === 'memory: resident') return resident
  if (isMemory(name)) return collected
  return comesAndGoes(name) ? connections : 0
}

/** Lists what has grown by more than is allowed. */
function excess(before: Figures, now: Figures): string[] {
  return [...now]
    .filter(([name, value]) => value > (before.get(name) ?? 0) + allowance(name))
    .map(([name, value]) => `${name}: ${before.get(name) ?? 0} before, ${value} now`)
}

test(`the service holds no more after ${lives} sandboxes than after ${warmUp}`, {
  timeout: 900_000 + lives * 5000,
}, async context => {
  const { signal } = context
  const preload = new URL('../support/collect-garbage.ts', import.meta.url).href
  const installation = await MachineInstallation.start({ env: { NODE_OPTIONS: `--import=${preload}` } })
  const database = installation.openDatabase()
  await liveManyTimes(installation, { lives: warmUp, atOnce, screenshots: warmUpScreenshots, signal })
  const before = await measureWhenQuiet(installation, database)
  await liveManyTimes(installation, { lives: lives - warmUp, atOnce, screenshots: 2, signal })

  let now = await measureWhenQuiet(installation, database)
  for (const end = Date.now() + patienceMs; excess(before, now).length > 0 && Date.now() < end; ) {
    await pause(500)
    now = await measure(installation, database)
  }
  for (const [name, value] of now) context.diagnostic(`${name}: ${before.get(name) ?? 0} → ${value}`)
  assert.deepEqual(excess(before, now), [])
})
