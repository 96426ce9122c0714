import type { TestContext } from 'node:test'
import { seeded } from '@sandglass/wire/testing'
import { shuffled } from '../faults/shuffled.ts'
import { ClusterWorld } from './cluster-world.ts'
import { ClusterFaultRunner } from './experiment.ts'
import type { ClusterFault } from './faults.ts'

/** Repeat a run with the seed that it has printed. */
const seed = Number(process.env['FAULT_SEED'] ?? Date.now() % 1e6)
/** Limits the run to faults whose names contain this. */
const only = process.env['CLUSTER_FAULTS'] ?? ''

export interface FaultRounds {
  readonly faults: readonly ClusterFault[]
  readonly rounds: number
  /** Whether everything is checked after each fault, and not only at the end. */
  readonly checksEach: boolean
}

/** Injects faults into one cluster, in an order and with choices that the seed decides. */
export async function runFaults(
  context: TestContext,
  { faults, rounds, checksEach }: FaultRounds,
): Promise<void> {
  context.diagnostic(`seed ${seed}`)
  const random = seeded(seed)
  const runner = new ClusterFaultRunner(await ClusterWorld.start(random))
  const check = () =>
    context.test('nothing acknowledged is lost, runs twice, is left over or reported falsely', async each => {
      await runner.check()
      each.diagnostic(`something false was reported for ${Math.round(runner.longestFalseMs)} ms at most`)
    })
  try {
    await runner.start()
    for (let round = 0; round < rounds; round++)
      for (const fault of shuffled(
        faults.filter(({ name }) => name.includes(only)),
        random,
      )) {
        await context.test(fault.name, async each => {
          const { reportedMs, servedMs, restoredMs, longestCallMs, refusals } = await runner.run(fault)
          const seconds = (what: string, ms: number | undefined) =>
            ms === undefined ? [] : [`${what} ${(ms / 1000).toFixed(1)} s`]
          each.diagnostic(
            [
              ...seconds('reported in', reportedMs),
              ...seconds('a front served in', servedMs),
              ...seconds('restored in', restoredMs),
              ...seconds('longest call', longestCallMs),
            ].join(', '),
          )
          each.diagnostic(refusals.join(', '))
        })
        if (!checksEach) continue
        await check()
        await runner.start()
      }
    await check()
  } finally {
    await runner.stop()
  }
}
