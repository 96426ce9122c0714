import { MachineError } from '../../contract/errors.ts'
import type { MachineSpec } from '../../contract/spec.ts'
import { Undo } from './host/undo.ts'
import { machinePaths, preparedPaths } from './machine-paths.ts'
import { adaptNetwork, identityFilesOf, removeUnusedNetwork } from './network/network.ts'
import { findInit } from './oci/init-process.ts'
import { runtimeOf } from './oci/runtimes.ts'
import type { Settings } from './options.ts'
import { claimId, claimIndex, type MachineRecord, transferIndex, writeRecord } from './records.ts'
import { type Ender, endProcesses, removeMachine } from './remove-machine.ts'
import {
  createRoot,
  movePreparedRoot,
  type PreparedRoot,
  type RootKind,
  rangeOf,
  removePreparedRoot,
} from './rootfs/prepared-root.ts'
import type { PreparedRoots } from './rootfs/prepared-roots.ts'
import { writeIdentityFiles } from './rootfs/rootfs.ts'
import { type Starting, startMachine } from './start-machine.ts'
import type { Starter } from './starter.ts'
import { keyOfWaiting, type WaitingKind } from './waiting-container.ts'

/** A machine that is to be created. */
export interface NewMachine {
  readonly spec: MachineSpec
  /** The folder of its image. */
  readonly image: string
  readonly kind: RootKind
  /** The containers that may wait for it. */
  readonly waiting: WaitingKind | undefined
}

/** Creates a machine with a prepared root, if there is one, and starts it. If that fails, nothing of it is left. */
export async function createMachine(
  { spec, image, kind, waiting }: NewMachine,
  starter: Starter,
  prepared: PreparedRoots,
  starting: Starting = {},
): Promise<void> {
  const { settings, runtimes, layout } = starter
  const ender = { settings, runtime: runtimes.of({ runtime: runtimeOf(settings, spec) }), layout }
  const paths = machinePaths(settings, spec.id)
  const undo = new Undo()
  await claimId(settings, spec.id)
  try {
    undo.add(() => removeMachine(settings, runtimes, layout, spec.id))
    const root = prepared.take(kind, waiting)
    if (root) undo.add(() => removePreparedRoot(ender, root.name))
    const isWaiting = root !== undefined && (await isUsable(ender, root, waiting))
    const index = root?.index ?? (await claimIndexOf(settings, prepared, spec.id, paths.home))
    // Before the record, which says that the machine's link and rules are those of this index.
    if (root) await transferIndex(settings, index, spec.id, paths.home)
    const { lower, saved } = kind
    const record: MachineRecord = {
      version: 1,
      spec,
      index,
      image,
      lower,
      range: rangeOf(settings, lower, index),
      ...(saved && { diskBase: saved.base }),
      runtime: runtimeOf(settings, spec),
      ...(isWaiting && { container: root.name }),
      complete: false,
    }
    await writeRecord(settings, record)
    const { isGvisor } = runtimes.of(record)
    if (root) {
      await movePreparedRoot(settings, root.name, spec.id)
      await (isGvisor ? removeUnusedNetwork(settings, paths, index) : adaptNetwork(settings, spec, index))
    } else {
      await createRoot(settings, paths, kind, index, isGvisor ? undefined : spec)
    }
    await writeIdentityFiles(paths, identityFilesOf(spec))
    starting.signal?.throwIfAborted()
    await startMachine(starter, record, { ...starting, isWaiting })
    await writeRecord(settings, { ...record, complete: true })
  } catch (error) {
    const failures = await undo.run()
    if (failures.length === 0) throw error
    throw new AggregateError([error, ...failures], `machine ${spec.id} failed, and so did taking it away`)
  }
}

/** Whether the container in a root waits for such a machine. One that does not is ended. */
async function isUsable(
  ender: Ender,
  root: PreparedRoot,
  waiting: WaitingKind | undefined,
): Promise<boolean> {
  if (!root.waiting) return false
  const paths = preparedPaths(ender.settings, root.name)
  if (waiting && root.waiting === keyOfWaiting(waiting) && (await findInit(paths))) return true
  await endProcesses(ender, paths, root.name)
  return false
}

/** Prepared roots hold indexes too, and a machine goes before them. */
async function claimIndexOf(
  settings: Settings,
  prepared: PreparedRoots,
  id: string,
  home: string,
): Promise<number> {
  try {
    return await claimIndex(settings, id, home)
  } catch (error) {
    if (!(error instanceof MachineError && error.code === 'NO_CAPACITY')) throw error
    await prepared.clear()
    return await claimIndex(settings, id, home)
  }
}
