import { MachineError } from '../../../contract/errors.ts'
import type { MachineSpec } from '../../../contract/spec.ts'
import { Undo } from '../../local/host/undo.ts'
import { machinePaths } from '../../local/machine-paths.ts'
import { claimId, claimIndex, writeRecord } from '../../local/records.ts'
import type { VmSource } from '../images/find-vm-disk.ts'
import type { VmRecord } from '../records.ts'
import { newMachineId } from './identity.ts'
import { removeVm } from './remove-vm.ts'
import { type Origin, startVm, type VmGround } from './start-vm.ts'

/** A machine that is to be created. */
export interface NewVm {
  readonly spec: MachineSpec
  readonly source: VmSource
  readonly machineType: string
  /** Makes its disk, and says what it starts from. */
  readonly makeDisk: (disk: string) => Promise<Origin>
}

/** Creates a virtual machine and starts it. If that fails, nothing of it is left. */
export async function createVm(
  ground: VmGround,
  { spec, source, machineType, makeDisk }: NewVm,
  signal?: AbortSignal,
): Promise<VmRecord> {
  const { settings } = ground
  const paths = machinePaths(settings, spec.id)
  const undo = new Undo()
  await claimId(settings, spec.id)
  try {
    undo.add(() => removeVm(ground, spec.id))
    const index = await claimIndex(settings, spec.id, paths.home)
    const record: VmRecord = {
      version: 1,
      spec,
      index,
      image: source.folder,
      guest: source.guest,
      machineType,
      acceleration: settings.acceleration,
      machineId: newMachineId(),
      complete: false,
    }
    await writeRecord(settings, record)
    const origin = await makeDisk(paths.disk)
    signal?.throwIfAborted()
    await startVm(ground, record, origin, true, signal)
    const complete = { ...record, complete: true }
    await writeRecord(settings, complete)
    return complete
  } catch (error) {
    const failures = await undo.run()
    if (failures.length === 0) throw error
    throw new AggregateError([error, ...failures], `machine ${spec.id} failed, and so did taking it away`)
  }
}

/** What virtual machines do not have. */
export function requireVmSpec({ volumes, runtime }: MachineSpec): void {
  if (volumes && volumes.length > 0)
    throw new MachineError('INVALID', 'volumes cannot be mounted in virtual machines; use a container shape')
  if (runtime !== undefined)
    throw new MachineError(
      'INVALID',
      'runtime is for containers; virtual machines have a kernel of their own',
    )
}
