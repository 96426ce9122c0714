import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import { descendantsOf } from '../support/host-processes.ts'
import { checkAnswers, checkWorld } from './check.ts'
import type { Fault } from './faults.ts'
import type { Restoration } from './restoration.ts'
import { type Result, refusalsIn } from './results.ts'
import type { Target } from './targets.ts'
import type { Workload } from './workload.ts'
import type { World } from './world.ts'

/** Lets one fault befall one process in the middle of the workload, and checks everything that is promised then. */
export async function befall(
  world: World,
  workload: Workload,
  restoration: Restoration,
  target: Target,
  fault: Fault,
  random: () => number,
): Promise<Result> {
  const scene = await target.scene?.(world)
  workload.start()
  try {
    await workload.succeededAnew(1 + Math.floor(random() * 3))
    const pids = await present(world, target)
    const startedBefore = await descendantsOf(world.installation.service.pid)
    const callsBefore = world.calls.made.length
    const isKilled = fault.name === 'kill -9'
    await fault.inflict(
      {
        pids,
        areThreads: target.areThreads ?? false,
        answersMeanwhile: !target.isSilentWhenStopped,
      },
      workload,
    )
    const overAtMs = performance.now()
    if (isKilled) await target.repair?.(world)
    await restoration.complete(target, scene, isKilled ? pids : [])
    const restoredMs = performance.now() - overAtMs
    await workload.stop()
    await scene?.end()
    const calls = world.calls.made.slice(callsBefore)
    checkAnswers(calls, target.name === 'service')
    await checkWorld(world, [...workload.jobs, ...restoration.jobs], startedBefore)
    const longestCallMs = Math.max(...calls.map(({ tookMs }) => tookMs))
    return {
      ...{ target: target.name, fault: fault.name, restoredMs, longestCallMs },
      refusals: refusalsIn(calls),
    }
  } finally {
    await workload.stop()
  }
}

async function present(world: World, target: Target): Promise<number[]> {
  let pids: number[] = []
  await waitFor(async () => {
    pids = await target.find(world)
    return pids.length > 0
  })
  assert.ok(pids.every(pid => pid > 1))
  return pids
}
