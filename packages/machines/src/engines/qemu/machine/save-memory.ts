import { machinePaths } from '../../local/machine-paths.ts'
import { uidRangeOf } from '../../local/oci/uid-ranges.ts'
import type { QemuSettings } from '../options.ts'
import type { VmRecord } from '../records.ts'
import { saveState } from './move-state.ts'
import type { QmpClient } from './qmp-client.ts'

const MiB = 1024 * 1024
/** What the devices of a machine have beside its memory, at most. */
const devicesMiB = 256

/** Writes the memory and the devices of a machine that stands still to a file. */
export async function saveMemory(
  settings: QemuSettings,
  { spec, index }: VmRecord,
  qmp: QmpClient,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  await saveState(qmp, machinePaths(settings, spec.id).sockets, target, {
    signal,
    withoutMemory: false,
    owner: uidRangeOf(settings, index).base,
    maxBytes: (spec.memoryMiB + devicesMiB) * MiB,
  })
}
