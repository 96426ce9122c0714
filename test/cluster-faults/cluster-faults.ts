import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeded } from '@sandglass/wire/testing'
import { shuffled } from '../faults/shuffled.ts'
import { ClusterWorld } from './cluster-world.ts'
import { ClusterFaultRunner } from './experiment.ts'
import { clusterFaults } from './faults.ts'

/**
 * The number of rounds in which all faults happen, with a random seed, and everything is checked after each, as `npm run soak` does.
 * Without it, there is one round of those that do not take minutes, and everything is checked at its end.
 */
const rounds = Number(process.env['CLUSTER_FAULT_ROUNDS'] ?? 0)
const isLong = rounds > 0
const seed = Number(process.env['FAULT_SEED'] ?? (isLong ? Date.now() % 1e6 : 4780))
/** Limits the run to faults whose names contain this. */
const only = process.env['CLUSTER_FAULTS'] ?? ''
/** What is promised on a box that is not busy with other tests. */
const promisedMs = 30_000

test('faults on a cluster with two fronts', { timeout: isLong ? 14_400_000 : 900_000 }, async context => {
  const random = seeded(seed)
  context.diagnostic(`seed ${seed}`)
  const world = await ClusterWorld.start(random)
  const runner = new ClusterFaultRunner(world)
  const wanted = clusterFaults.filter(fault => (isLong || !fault.isLong) && fault.name.includes(only))
  const kept = 'nothing acknowledged is lost, runs twice or is left over'
  const check = () => context.test(kept, () => runner.check())
  await runner.start()
  try {
    for (let round = 0; round < Math.max(1, rounds); round++)
      for (const fault of shuffled(wanted, random)) {
        await context.test(fault.name, async each => {
          const { reportedMs, restoredMs, longestCallMs, refusals } = await runner.run(fault)
          const reported = reportedMs === undefined ? '' : `reported in ${Math.round(reportedMs)} ms, `
          each.diagnostic(`${reported}restored in ${Math.round(restoredMs)} ms`)
          each.diagnostic(`longest call ${Math.round(longestCallMs)} ms; ${refusals.join(', ')}`)
          if (isLong && reportedMs !== undefined) assert.ok(reportedMs < promisedMs, `${reportedMs} ms`)
        })
        if (!isLong) continue
        await check()
        await runner.start()
      }
    await check()
  } finally {
    await runner.stop()
  }
})
