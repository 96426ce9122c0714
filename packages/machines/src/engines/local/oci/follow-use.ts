import { machinePaths } from '../machine-paths.ts'
import type { Settings } from '../options.ts'
import type { CgroupLayout } from './cgroups.ts'
import type { Containers } from './containers.ts'
import type { Sharer } from './fair-shares.ts'
import type { ProcessorSets } from './processor-sets.ts'
import { showUse } from './shown-limits.ts'

/** Spreads the machines over the processors by what they do now, and shows each one what it uses. */
export async function followUse(
  settings: Settings,
  layout: CgroupLayout,
  processors: ProcessorSets,
  containers: Containers,
  machines: ReadonlyMap<string, Sharer>,
): Promise<void> {
  await processors.balance(machines)
  // What a machine uses that does nothing stays as it is.
  const changed = [...machines].filter(([, { isBusy, wasBusy }]) => isBusy || wasBusy)
  for (const [id, { cpus }] of changed) {
    const group = containers.groupOf(id)
    showUse(machinePaths(settings, id), { layout, group, processors: processors.count(cpus) })
  }
}
