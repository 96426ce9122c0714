import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MachineError } from '../../contract/errors.ts'
import { awaitDesktop } from './guest/desktop-ready.ts'
import { allSettledOrThrow } from './host/all-settled.ts'
import { applyPolicy, attachLink } from './network/network.ts'
import { awaitSocket } from './network/unix-socket.ts'
import { type CgroupLayout, groupOf, limitProcessor } from './oci/cgroups.ts'
import { noteInit } from './oci/init-process.ts'
import { ociConfig } from './oci/oci-config.ts'
import type { Runtime } from './oci/runtime.ts'
import type { UidRange } from './oci/uid-ranges.ts'
import type { Settings } from './options.ts'
import { type Places, placesOf } from './places.ts'
import type { Lower, MachineRecord } from './records.ts'
import { mendDisk, mountDisk } from './rootfs/disk.ts'
import { mountsBelow } from './rootfs/mounts.ts'
import { mountRootfs } from './rootfs/rootfs.ts'

export interface Starter {
  readonly settings: Settings
  readonly runtime: Runtime
  readonly layout: CgroupLayout
  readonly guestDir: string
  readonly lower: Lower
}

export async function mountMachineRoot(settings: Settings, record: MachineRecord): Promise<void> {
  const { lower, range, spec } = record
  const folder = join(settings.imagesDir, lower.folder)
  await mountRootfs(placesOf(settings, spec.id), folder, lower.mapped ? range : undefined)
}

/** The machine's root in place: already there after a plain restart, mounted anew after a reboot of the host. */
export async function ensureRoot(settings: Settings, record: MachineRecord): Promise<void> {
  const places = placesOf(settings, record.spec.id)
  const mounted = await mountsBelow(places.run)
  if (!mounted.includes(places.diskMount)) {
    await mkdir(places.run, { recursive: true })
    await mendDisk(places)
    await mountDisk(places, record.range)
  }
  if (!mounted.includes(places.rootfs)) await mountMachineRoot(settings, record)
}

/** Folders that the machine writes its sockets into. Emptied: what an earlier run left there answers no more. */
async function layRunFolders(places: Places, range: UidRange): Promise<void> {
  // The machine's own root may pass, and no other user of the host: the display takes whoever reaches it.
  await chown(places.run, 0, range.base)
  await chmod(places.run, 0o710)
  await mkdir(places.bundle, { recursive: true })
  for (const folder of [places.sockets, places.x11]) {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder)
    await chmod(folder, 0o1777)
  }
}

/** From a mounted root to a desktop that answers, its policy in force and its link up. */
export async function startMachine(
  starter: Starter,
  record: MachineRecord,
  signal?: AbortSignal,
): Promise<void> {
  const { settings, runtime, layout, guestDir } = starter
  const { spec, index } = record
  const places = placesOf(settings, spec.id)
  await layRunFolders(places, record.range)
  const config = ociConfig({ settings, spec, places, range: record.range, layout, guestDir })
  await writeFile(join(places.bundle, 'config.json'), JSON.stringify(config))
  const late = AbortSignal.timeout(settings.readyTimeoutMs)
  const stop = new AbortController()
  const end = AbortSignal.any([late, stop.signal, ...(signal ? [signal] : [])])
  // The screen comes up while the network is laid; the watch begins before there is anything to see.
  // Until it has its link a machine reaches nothing, so the policy is early enough beside the start.
  const desktop = awaitDesktop(places.x11, end)
  // Not earlier, because the agent loads at the first connection what the desktop's start would have to share with.
  const agent = desktop.then(() => awaitSocket(places.sockets, 'agent', end)).then(socket => socket.destroy())
  const network = async () => {
    await allSettledOrThrow([runtime.start(spec.id, places, end), applyPolicy(settings, spec, index)])
    const init = await noteInit(places)
    if (!init) throw new MachineError('MACHINE_FAILED', `machine ${spec.id} ended as soon as it began`)
    await attachLink(settings, spec, index, init.pid)
  }
  const connected = network()
  try {
    await Promise.all([connected, desktop, agent])
    await limitProcessor(layout, groupOf(settings.instance, spec.id), spec.cpus)
  } catch (error) {
    signal?.throwIfAborted()
    if (!late.aborted) throw error
    throw new MachineError(
      'MACHINE_FAILED',
      `the desktop of machine ${spec.id} did not come up in ${settings.readyTimeoutMs} ms`,
      { cause: error },
    )
  } finally {
    stop.abort()
    await Promise.allSettled([connected, desktop, agent])
  }
}
