import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { MachineError } from '../../../contract/errors.ts'
import { ask } from '../../local/guest/agent-client.ts'
import { awaitDesktop } from '../../local/guest/desktop-ready.ts'
import { agentTimeouts, type Guest, guestOf } from '../../local/guest/guest.ts'
import { type MachinePaths, machinePaths } from '../../local/machine-paths.ts'
import { awaitSocket } from '../../local/network/unix-socket.ts'
import { type CgroupLayout, groupOf, limitProcessor } from '../../local/oci/cgroups.ts'
import { noteInit } from '../../local/oci/init-process.ts'
import type { ProcessorSets } from '../../local/oci/processor-sets.ts'
import type { Runtime } from '../../local/oci/runtime.ts'
import { type UidRange, uidRangeOf } from '../../local/oci/uid-ranges.ts'
import { createSocketFolders } from '../../local/rootfs/socket-folders.ts'
import type { QemuSettings } from '../options.ts'
import type { VmGuest, VmRecord } from '../records.ts'
import { firmwareFiles } from '../storage/firmware-files.ts'
import { awaitQemuSocket } from './await-qemu-socket.ts'
import { commandLine, hasAgent, processorsOf } from './command-line.ts'
import { identityOf } from './identity.ts'
import { loadState } from './move-state.ts'
import { createVmNetwork, leaseOf, tapName } from './network.ts'
import { type SeenFile, vmConfig } from './oci-config.ts'
import { qemuCommand } from './qemu-version.ts'
import { QmpClient } from './qmp-client.ts'
import { seenAt } from './seen-at.ts'
import { whileRunning, whyEnded } from './while-running.ts'

/** What all virtual machines of a host stand on. */
export interface VmGround {
  readonly settings: QemuSettings
  readonly runtime: Runtime
  readonly layout: CgroupLayout
  readonly processors: ProcessorSets
  readonly root: string
  readonly relayFolder: string
  readonly apparmor: string | undefined
  /** The node of KVM, where machines use it. */
  readonly kvm: string | undefined
}

/** What a machine starts from. */
export type Origin =
  | { readonly kind: 'boot' }
  /** Boots, with its memory in a file from which others will start. */
  | { readonly kind: 'recording'; readonly memory: string }
  /** Recorded memory that it shares until it writes to it, and the state of its devices. */
  | { readonly kind: 'template'; readonly memory: string; readonly state: string }
  /** Memory and devices that were saved together. */
  | { readonly kind: 'saved'; readonly state: string }

/** Whether a machine goes on where another was, and does not boot. */
const isIncoming = (origin: Origin): origin is Extract<Origin, { kind: 'template' | 'saved' }> =>
  origin.kind === 'template' || origin.kind === 'saved'

/** A machine could not start from a template. It may start without. */
export class UnusableTemplate extends MachineError {
  constructor(cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super('MACHINE_FAILED', `a machine could not start from a template: ${why}`, { cause })
  }
}

/** Starting from a template takes much less time than to boot. What takes longer does not start at all. */
const templateShare = 1 / 3

const launcher = join(import.meta.dirname, 'launch.pl')

export async function createRunFolders(paths: MachinePaths, range: UidRange): Promise<void> {
  await mkdir(paths.run, { recursive: true })
  await chown(paths.run, 0, range.base)
  await chmod(paths.run, 0o710)
  await mkdir(paths.bundle, { recursive: true })
  await createSocketFolders(paths)
}

/** Starts QEMU for a machine whose disk exists. Resolves when the desktop answers; `isNew` as in {@link identityOf}. */
export async function startVm(
  ground: VmGround,
  record: VmRecord,
  origin: Origin,
  isNew: boolean,
  signal?: AbortSignal,
): Promise<void> {
  const { settings, layout, processors } = ground
  const { spec } = record
  const isTemplate = origin.kind === 'template'
  const timeoutMs = Math.ceil(settings.readyTimeoutMs * (isTemplate ? templateShare : 1))
  const timeout = AbortSignal.timeout(timeoutMs)
  const stop = new AbortController()
  const end = AbortSignal.any([timeout, stop.signal, ...(signal ? [signal] : [])])
  try {
    await launch(ground, record, origin, end)
    const paths = machinePaths(settings, spec.id)
    await whileRunning(paths, end, async running => {
      await resume(paths, origin, running)
      await (hasAgent(record.guest)
        ? introduce(ground, record, origin, isNew, running)
        : awaitConsole(paths, running))
    })
    await Promise.all([
      limitProcessor(layout, groupOf(settings.instance, spec.id), spec.cpus),
      processors.confine(spec.id, spec.cpus),
    ])
  } catch (error) {
    processors.remove(spec.id)
    signal?.throwIfAborted()
    const late = `the virtual machine ${spec.id} was not ready within ${timeoutMs} ms`
    const reason = timeout.aborted ? new MachineError('MACHINE_FAILED', late, { cause: error }) : error
    throw isTemplate ? new UnusableTemplate(reason) : reason
  } finally {
    stop.abort()
  }
}

async function launch(
  ground: VmGround,
  record: VmRecord,
  origin: Origin,
  signal: AbortSignal,
): Promise<void> {
  const { settings, runtime, layout, root, relayFolder, apparmor } = ground
  const { spec, index, machineType, acceleration, guest } = record
  const paths = machinePaths(settings, spec.id)
  const range = uidRangeOf(settings, index)
  const [networkNamespace] = await Promise.all([
    createVmNetwork(settings, spec, index),
    createRunFolders(paths, range),
  ])
  const firmware = await firmwareFiles(paths, range)
  // A guest with our agent is told its address by the agent.
  const lease = hasAgent(guest) ? undefined : leaseOf(spec, index)
  const kinds = { boot: 'own', saved: 'own', recording: 'recorded', template: 'copied' } as const
  const args = commandLine({
    machineType,
    acceleration,
    processors: processorsOf(spec.cpus),
    memoryMiB: spec.memoryMiB,
    guest,
    memory: kinds[origin.kind],
    isIncoming: isIncoming(origin),
    generation: randomUUID(),
  })
  const config = vmConfig({
    settings,
    spec,
    paths,
    range,
    layout,
    root,
    relayFolder,
    files: [...filesOf(settings, record, paths, origin), ...firmware],
    args: [...relayOf(guest, lease), qemuCommand, ...args],
    networkNamespace,
    apparmor,
    kvm: acceleration === 'kvm' ? ground.kvm : undefined,
  })
  const own = [paths.disk, ...(origin.kind === 'recording' ? [origin.memory] : [])]
  for (const path of own) await chown(path, range.base, range.base)
  await writeFile(join(paths.bundle, 'config.json'), JSON.stringify(config))
  const second = origin.kind === 'template' ? origin.memory : lease ? 'dhcp' : '-'
  const wrapper = ['perl', launcher, networkNamespace, tapName, second]
  await runtime.start(spec.id, paths, signal, { wrapper, count: second === '-' ? 1 : 2 })
  if (!(await noteInit(paths))) throw await whyEnded(paths)
}

function filesOf(
  { imagesDir }: QemuSettings,
  { image, guest }: VmRecord,
  paths: MachinePaths,
  origin: Origin,
): SeenFile[] {
  return [
    { source: paths.disk, seenAt: seenAt.disk, access: 'rw' },
    ...(guest.firmware === 'kernel' && !isIncoming(origin)
      ? (['kernel', 'initrd'] as const).map(name => ({
          source: join(imagesDir, image, name),
          seenAt: seenAt[name],
          access: 'ro' as const,
        }))
      : []),
    ...(origin.kind === 'recording'
      ? [{ source: origin.memory, seenAt: seenAt.memory, access: 'rw' } as const]
      : []),
  ]
}

function relayOf(guest: VmGuest, lease: string | undefined): string[] {
  const tpm = guest.firmware === 'uefi-secure' ? ['--tpm', seenAt.tpm] : []
  const leases = lease ? ['--lease', lease] : []
  const kind = hasAgent(guest) ? 'agent' : 'console'
  return ['/usr/bin/python3', '-ISB', '/run/sandglass/relay/relay.py', kind, ...tpm, ...leases, '--']
}

/** Nothing in the guest says when it is ready, so its screen has to be enough. */
async function awaitConsole({ sockets }: MachinePaths, signal: AbortSignal): Promise<void> {
  for (const name of ['rfb', 'input']) (await awaitQemuSocket(sockets, name, signal)).destroy()
}

/** Lets a machine go on where the one that it starts from was. */
async function resume({ sockets }: MachinePaths, origin: Origin, signal: AbortSignal): Promise<void> {
  if (!isIncoming(origin)) return
  const qmp = await QmpClient.await(sockets, signal)
  try {
    await loadState(qmp, sockets, origin.state, { signal, withoutMemory: origin.kind === 'template' })
    await qmp.execute('cont')
  } finally {
    qmp.close()
  }
}

/** The desktop of a template was there when its memory was saved. One that needs other variables is started again. */
const keepsDesktop = ({ spec }: VmRecord, { kind }: Origin): boolean =>
  kind === 'template' && Object.keys(spec.env ?? {}).length === 0

/** Tells the guest who it is, and waits until its desktop is there. */
async function introduce(
  { settings, layout }: VmGround,
  record: VmRecord,
  origin: Origin,
  isNew: boolean,
  signal: AbortSignal,
): Promise<void> {
  const paths = machinePaths(settings, record.spec.id)
  const plain = guestOf(record.spec.id, settings, layout)
  let first: Socket | undefined = await awaitSocket(paths.sockets, 'agent', signal)
  const guest: Guest = {
    ...plain,
    // Each connection costs an emulated guest milliseconds, so the one that was awaited is used.
    async connect(name, ending) {
      const connection = first ?? (await plain.connect(name, ending))
      first = undefined
      return connection
    },
    timeouts: { ...agentTimeouts, answerMs: settings.readyTimeoutMs },
  }
  const { socket } = await ask(guest, identityOf(record, isNew), { signal })
  socket.destroy()
  if (keepsDesktop(record, origin)) return
  const paints = existsSync(join(settings.imagesDir, record.image, 'paints'))
  await awaitDesktop(paths.x11, paints, signal)
}
