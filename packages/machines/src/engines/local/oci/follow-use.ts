import { machinePaths } from '../machine-paths.ts'
import type { Settings } from '../options.ts'
import type { CgroupLayout } from './cgroups.ts'
import type { Sharer } from './fair-shares.ts'
import type { ProcessorSets } from './processor-sets.ts'
import { showUse } from './shown-limits.ts'

/** Spreads the machines over the processors by what they do now, and shows each one what it uses. */
export async function followUse(
  settings: Settings,
  layout: CgroupLayout,
  processors: ProcessorSets,
  machines: ReadonlyMap<string, Sharer>,
): Promise<void> {
  await processors.balance(machines)
  const { instance } = settings
  // What a machine uses that does nothing stays as it is.
  const changed = [...machines].filter(([, { isBusy, wasBusy }]) => isBusy || wasBusy)
  for (const [id, { cpus }] of changed)
    await showUse(machinePaths(settings, id), { layout, instance, id, processors: processors.count(cpus) })
}
