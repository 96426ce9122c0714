import { test } from 'node:test'
import { seeded } from '@sandglass/wire/testing'
import { befall } from './befall.ts'
import { type Fault, faults } from './faults.ts'
import { Restoration } from './restoration.ts'
import { addResult } from './results.ts'
import { type Target, targets } from './targets.ts'
import { Workload } from './workload.ts'
import { type Image, World } from './world.ts'

const seed = Number(process.env['FAULT_SEED'] ?? 4780)
/** All images and faults, as `npm run faults` has them; `npm test` has the small image, and the faults that are quick. */
const isWhole = process.env['FAULTS'] === 'all'
/** Only the targets whose names are listed, separated by commas. */
const only = process.env['FAULT_TARGETS']?.split(',')

const random = seeded(seed)

function faultsOf(target: Target): Fault[] {
  const fitting = faults.filter(({ fitsThreads }) => fitsThreads || !target.areThreads)
  const quick = fitting.filter(({ isQuick }) => isQuick)
  return isWhole || quick.length === 0 ? fitting : quick
}

/** In an order that differs with the seed, so that no fault relies on the one before it. */
function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map(item => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

for (const image of ['minimal', 'desktop', 'phone'] satisfies Image[]) {
  const here = targets.filter(
    target => (target.image ?? 'minimal') === image && only?.includes(target.name) !== false,
  )
  if (here.length === 0 || (image !== 'minimal' && !isWhole)) continue
  const product = shuffled(here.flatMap(target => faultsOf(target).map(fault => ({ target, fault }))))

  test(`faults on a sandbox of the image ${image}`, { timeout: 3_600_000 }, async context => {
    context.diagnostic(`seed ${seed}`)
    const world = await World.start({ image })
    const workload = new Workload(world, random)
    const restoration = new Restoration(world, random)
    for (const { target, fault } of product)
      await context.test(`${target.name}: ${fault.name}`, { timeout: 900_000 }, async each => {
        context.signal.throwIfAborted()
        const result = await befall(world, workload, restoration, target, fault, random)
        each.diagnostic(`restored in ${Math.round(result.restoredMs)} ms`)
        each.diagnostic(`longest call ${Math.round(result.longestCallMs)} ms; ${result.refusals.join(', ')}`)
        await addResult(result)
      })
  })
}
