import { waitFor } from '@sandglass/machines/testing'
import type { Fault } from './faults.ts'
import type { Trial } from './ordeal.ts'
import type { Result } from './results.ts'
import type { Target } from './targets.ts'

/** Lets one fault befall one process in the middle of the workload. */
export async function befall(trial: Trial, target: Target, fault: Fault): Promise<Result> {
  const { world } = trial
  let pids: number[] = []
  const isPresent = async () => {
    pids = await target.find(world)
    return pids.length > 0
  }
  const isBack = async () => {
    const found = await target.find(world)
    return found.length > 0 && !found.some(pid => pids.includes(pid))
  }
  return await trial.endure({
    ...{ target: target.name, fault: fault.name, scene: target.scene },
    mayBreakOff: target.name === 'service',
    inflict: async workload => {
      await waitFor(isPresent)
      const [areThreads, answersMeanwhile] = [target.areThreads ?? false, !target.isSilentWhenStopped]
      await fault.inflict({ pids, areThreads, answersMeanwhile }, workload)
    },
    ...(fault.isDeadly && target.repair && { repair: () => target.repair?.(world) ?? Promise.resolve() }),
    ...(fault.isDeadly && !target.isOnDemand && { isBack }),
  })
}
