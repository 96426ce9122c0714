import { test } from 'node:test'
import { seeded } from '@sandglass/wire/testing'
import { FaultRunner } from './experiment.ts'
import type { Fault } from './faults.ts'
import { injectProcessFault } from './process-fault.ts'
import { faultsOf } from './product.ts'
import { addResult } from './results.ts'
import { shuffled } from './shuffled.ts'
import { type Target, targets } from './targets.ts'
import { type Image, World } from './world.ts'

const seed = Number(process.env['FAULT_SEED'] ?? 4780)
/**
 * Whether to include all images and faults, as `npm run faults` does. `npm test` covers the small image, kills every
 * process, and stops those whose stop the others notice.
 */
const isWhole = process.env['FAULTS'] === 'all'
/** Limits the run to these targets, separated by commas. */
const only = process.env['FAULT_TARGETS']?.split(',')

const random = seeded(seed)

/** The faults of this run. A target without quick faults gets all of its faults. */
function faultsNow(target: Target): Fault[] {
  const quick = faultsOf(target).filter(
    ({ name, isQuick }) => isQuick || (name === 'stopped' && target.isStoppedInTests),
  )
  return isWhole || quick.length === 0 ? faultsOf(target) : quick
}

for (const image of ['minimal', 'desktop', 'phone'] satisfies Image[]) {
  const here = targets.filter(
    target => (target.image ?? 'minimal') === image && only?.includes(target.name) !== false,
  )
  if (here.length === 0 || (image !== 'minimal' && !isWhole)) continue
  const all = here.flatMap(target => faultsNow(target).map(fault => ({ target, fault })))
  const product = shuffled(all, random)

  test(`faults on a sandbox of the image ${image}`, { timeout: 3_600_000 }, async context => {
    context.diagnostic(`seed ${seed}`)
    const runner = new FaultRunner(await World.start({ image }), random)
    for (const { target, fault } of product)
      await context.test(`${target.name}: ${fault.name}`, { timeout: 900_000 }, async each => {
        context.signal.throwIfAborted()
        const result = await injectProcessFault(runner, target, fault)
        each.diagnostic(`restored in ${Math.round(result.restoredMs)} ms`)
        each.diagnostic(`longest call ${Math.round(result.longestCallMs)} ms; ${result.refusals.join(', ')}`)
        await addResult(result)
      })
  })
}
