import { waitFor } from '@sandglass/machines/testing'
import type { FaultRunner } from './experiment.ts'
import type { Fault } from './faults.ts'
import type { Result } from './results.ts'
import type { Target } from './targets.ts'

/** Injects a fault into a process while the workload runs. */
export async function injectProcessFault(runner: FaultRunner, target: Target, fault: Fault): Promise<Result> {
  const { world } = runner
  let pids: number[] = []
  const isPresent = async () => {
    pids = await target.find(world)
    return pids.length > 0
  }
  const isBack = async () => {
    const found = await target.find(world)
    return found.length > 0 && !found.some(pid => pids.includes(pid))
  }
  return await runner.run({
    target: target.name,
    fault: fault.name,
    activity: target.activity,
    mayBreakOff: ['host', 'front'].includes(target.name),
    inject: async workload => {
      await waitFor(isPresent)
      const [areThreads, answersMeanwhile] = [target.areThreads ?? false, !target.isSilentWhenStopped]
      await fault.inject({ pids, areThreads, answersMeanwhile }, workload)
      if (target.losesFrames) world.framesLostAtMs = performance.now()
    },
    ...(fault.isDeadly && target.repair && { repair: () => target.repair?.(world) ?? Promise.resolve() }),
    ...(fault.isDeadly && !target.isOnDemand && { isBack }),
  })
}
