import { isDeepStrictEqual } from 'node:util'
import { MachineError } from '../../contract/errors.ts'
import { runCommand } from './host/run-command.ts'
import { machinePaths } from './machine-paths.ts'
import { applyPolicy, createNetwork, detachNetwork, removeNetwork } from './network/network.ts'
import { containerOf } from './oci/containers.ts'
import type { Settings } from './options.ts'
import { type MachineRecord, writeRecord } from './records.ts'
import { endProcesses } from './remove-machine.ts'
import { mountsBelow, unmountBelow } from './rootfs/mounts.ts'
import { ensureRoot, startMachine } from './start-machine.ts'
import type { Starter } from './starter.ts'
import { restoreDisk } from './storage/restore-disk.ts'
import type { SavedRecord } from './storage/saved-records.ts'
import { unmountUnusedVolumes } from './volumes/volume-mounts.ts'

/** What is needed to end the processes of a machine. */
type Enders = Pick<Starter, 'settings' | 'runtimes' | 'layout'>

/** Ends what runs in the machine, if anything does, and starts it again with the same disk. */
export async function restartMachine(
  starter: Starter,
  before: MachineRecord,
  signal?: AbortSignal,
): Promise<void> {
  const { settings, runtimes } = starter
  await endMachine(starter, before)
  const record = await restoreDisk(settings, before)
  await ensureRoot(settings, record)
  if (!runtimes.of(record).isGvisor) await replaceNetwork(settings, record)
  signal?.throwIfAborted()
  try {
    await startMachine(starter, record, { signal })
  } catch (error) {
    await endMachineProcesses(starter, record)
    throw error
  }
}

/** Starts the machine again with a copy of a saved disk instead of its own. */
export async function restoreMachine(
  starter: Starter,
  record: MachineRecord,
  saved: SavedRecord,
  signal?: AbortSignal,
): Promise<void> {
  if (!isDeepStrictEqual(saved.lower, record.lower) || saved.diskMiB !== record.spec.diskMiB)
    throw new MachineError('INVALID', 'the snapshot is of a machine with another image or another disk')
  // Before it is recorded, so that a machine which still runs after a crash keeps its disk also later.
  await endMachine(starter, record)
  const restoring = { ...record, restoring: saved.id }
  await writeRecord(starter.settings, restoring)
  await restartMachine(starter, restoring, signal)
}

/** Everything that is mounted for the machine is unmounted, so that nothing of its disk is kept in memory. */
export async function stopMachine(ender: Enders, record: MachineRecord): Promise<void> {
  await endMachine(ender, record)
  const { run, diskMount } = machinePaths(ender.settings, record.spec.id)
  // Where another process still sees the mount, unmounting writes nothing, and a copy of the disk would miss what is in memory.
  if ((await mountsBelow(diskMount)).includes(diskMount))
    await runCommand('sync', ['--file-system', diskMount])
  await unmountBelow(run)
  if (record.spec.volumes) await unmountUnusedVolumes(ender.settings)
}

async function endMachine(ender: Enders, record: MachineRecord): Promise<void> {
  await endMachineProcesses(ender, record)
  await detachNetwork(ender.settings, record.spec, record.index)
}

async function endMachineProcesses(
  { settings, runtimes, layout }: Enders,
  record: MachineRecord,
): Promise<void> {
  const ender = { settings, runtime: runtimes.of(record), layout }
  await endProcesses(ender, machinePaths(settings, record.spec.id), containerOf(record))
}

/** Of the network that the machine had, nothing remains that a program in it changed. */
async function replaceNetwork(settings: Settings, { spec, index }: MachineRecord): Promise<void> {
  const paths = machinePaths(settings, spec.id)
  await removeNetwork(paths)
  await applyPolicy(settings, spec, index)
  await createNetwork(settings, paths, spec, index)
}
