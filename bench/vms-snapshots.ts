import type { MachineHandle } from '@sandglass/machines/contract'
import type { QemuEngine } from '@sandglass/machines/qemu'
import { median, type Row, row } from './row.ts'
import { timed } from './timed.ts'
import { spec, withVms } from './vms.ts'

const rounds = 3

/** Snapshots of a virtual machine that runs, with its memory and without. */
export default async function bench(): Promise<Row[]> {
  return await withVms(snapshots)
}

async function snapshots(vms: QemuEngine): Promise<Row[]> {
  const source = await vms.create({ ...spec, id: 'source' })
  const [withMemory, diskOnly] = [await saves(vms, source, true), await saves(vms, source, false)]
  await vms.destroy(source)
  const beside = 'beside the disk alone'
  return [
    row(`vms: pause for a snapshot with memory p50, ${beside}`, 'ms', withMemory.pauseMs, diskOnly.pauseMs),
    row(`vms: size of a snapshot with memory, ${beside}`, 'MiB', withMemory.sizeMiB, diskOnly.sizeMiB),
    row(`vms: start from a snapshot with memory p50, ${beside}`, 'ms', withMemory.startMs, diskOnly.startMs),
  ]
}

async function saves(vms: QemuEngine, source: MachineHandle, memory: boolean) {
  const [pausesMs, sizesMiB, startsMs]: [number[], number[], number[]] = [[], [], []]
  for (let round = 0; round < rounds; round++) {
    const saved = await vms.snapshots.take(source, { id: `saved-${round}`, memory })
    pausesMs.push(saved.pauseMs)
    sizesMiB.push(saved.sizeMiB)
    let handle: MachineHandle | undefined
    const start = async () => {
      handle = await vms.snapshots.create(saved.handle, { ...spec, id: `copy-${round}` })
    }
    startsMs.push(await timed(start))
    if (handle) await vms.destroy(handle)
    await vms.snapshots.remove(saved.handle)
  }
  return { pauseMs: median(pausesMs), sizeMiB: median(sizesMiB), startMs: median(startsMs) }
}
