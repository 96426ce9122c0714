import { MachineError } from '../../contract/errors.ts'
import type { MachineSpec } from '../../contract/spec.ts'
import { createRunFolders, writeBundle } from './bundle.ts'
import { ask } from './guest/agent-client.ts'
import { guestOf } from './guest/guest.ts'
import { runCommand } from './host/run-command.ts'
import { machinePaths, preparedPaths } from './machine-paths.ts'
import { awaitSocket } from './network/unix-socket.ts'
import { groupOf } from './oci/cgroups.ts'
import { containerOf } from './oci/containers.ts'
import { findInit, noteInit } from './oci/init-process.ts'
import { hostnameOf, screenOf } from './oci/oci-config.ts'
import type { Runtime } from './oci/runtime.ts'
import type { Lower, MachineRecord } from './records.ts'
import { type PreparedRoot, rangeOf } from './rootfs/prepared-root.ts'
import type { Starter } from './starter.ts'

/** What a container must be started with. Everything else of a machine is told to it when there is one. */
export type WaitingSpec = Pick<MachineSpec, 'image' | 'cpus' | 'memoryMiB' | 'pids' | 'diskMiB' | 'sudo'>

/** The containers that wait for machines like one that was requested. */
export interface WaitingKind {
  readonly spec: WaitingSpec
  readonly starter: Starter
  readonly runtime: Runtime
}

/** How long process 1 may take to load. */
const loadTimeoutMs = 10_000

/**
 * What can wait for a machine like this one. gVisor takes over the network when it starts, and volumes are mounted then, so those
 * machines are never waited for.
 */
export function waitingKindOf(
  starter: Starter,
  spec: MachineSpec,
  runtime: Runtime,
): WaitingKind | undefined {
  const { image, cpus, memoryMiB, pids, diskMiB, sudo = true, volumes = [] } = spec
  if (runtime.isGvisor || volumes.length > 0) return undefined
  return { spec: { image, cpus, memoryMiB, pids, diskMiB, sudo }, starter, runtime }
}

/** Two kinds with the same key are the same. */
export const keyOfWaiting = ({ spec, starter, runtime }: WaitingKind): string =>
  JSON.stringify([spec, starter.guestDir, runtime.command])

/**
 * Starts a container in a prepared root, whose process 1 loads and then waits until it is told which machine it is. No program of a
 * user has run in it, and it becomes one machine only.
 */
export async function startWaiting(
  { spec: like, starter, runtime }: WaitingKind,
  { name, index }: PreparedRoot,
  lower: Lower,
): Promise<void> {
  const paths = preparedPaths(starter.settings, name)
  const spec = { ...like, id: name }
  const range = rangeOf(starter.settings, lower, index)
  const { networkNamespace } = paths
  await createRunFolders(paths, range)
  const isWaiting = true
  await writeBundle(starter, { name, spec, paths, range, networkNamespace, isGvisor: false, isWaiting })
  const signal = AbortSignal.timeout(loadTimeoutMs)
  await runtime.start(name, paths, signal)
  await noteInit(paths)
  const socket = await awaitSocket(paths.sockets, 'agent', signal)
  socket.destroy()
}

/** Tells a waiting container which machine it is. Its desktop starts then. */
export async function becomeMachine(
  { settings, layout }: Starter,
  record: MachineRecord,
  signal: AbortSignal,
): Promise<void> {
  const { spec } = record
  const init = await findInit(machinePaths(settings, spec.id))
  if (!init) throw new MachineError('MACHINE_FAILED', `the container that waited for ${spec.id} has ended`)
  // Only the host may change the name: in the container, nobody has the right to.
  const uts = ['--target', String(init.pid), '--uts']
  await runCommand('nsenter', [...uts, 'hostname', hostnameOf(spec.id)], { signal })
  const group = groupOf(settings.instance, containerOf(record))
  const request = { op: 'begin', screen: screenOf(spec), env: { ...spec.env } }
  const { socket } = await ask(guestOf(spec.id, settings, layout, { group }), request, { signal })
  socket.destroy()
}
