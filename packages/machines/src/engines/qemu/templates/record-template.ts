import { runCommand } from '../../local/host/run-command.ts'
import { machinePaths } from '../../local/machine-paths.ts'
import { uidRangeOf } from '../../local/oci/uid-ranges.ts'
import { createVm, type NewVm } from '../machine/creation.ts'
import { saveState } from '../machine/move-state.ts'
import { QmpClient } from '../machine/qmp-client.ts'
import { removeVm } from '../machine/remove-vm.ts'
import type { VmGround } from '../machine/start-vm.ts'
import { freshDisk } from '../storage/vm-disk.ts'
import type { TemplateFiles } from './template-store.ts'
import { warmUp } from './warm-up.ts'

/** The state of all devices without the memory has about half a megabyte. */
const maxBytes = 64 * 1024 * 1024

/**
 * Boots a machine, and saves its state and its disk when it is at rest. Its memory is the file of the template itself. The
 * machine is removed, whatever happens.
 */
export async function recordTemplate(
  ground: VmGround,
  { spec, source, machineType }: Pick<NewVm, 'spec' | 'source' | 'machineType'>,
  files: TemplateFiles,
  signal: AbortSignal,
): Promise<void> {
  const { settings } = ground
  const paths = machinePaths(settings, spec.id)
  const makeDisk = async (disk: string) => {
    await freshDisk(settings, source, disk, spec.diskMiB)
    return { kind: 'recording', memory: files.memory } as const
  }
  try {
    const { index } = await createVm(ground, { spec, source, machineType, makeDisk }, signal)
    await warmUp(ground, spec, signal)
    const qmp = await QmpClient.open(paths.sockets, signal)
    try {
      await qmp.execute('stop')
      const owner = uidRangeOf(settings, index).base
      await saveState(qmp, paths.sockets, files.state, { signal, withoutMemory: true, owner, maxBytes })
      await qmp.execute('quit').catch(() => {})
    } finally {
      qmp.close()
    }
    await runCommand('cp', ['--sparse=always', '--', paths.disk, files.disk])
  } finally {
    await removeVm(ground, spec.id)
  }
}
