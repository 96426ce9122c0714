import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Engine, MachineHandle } from '@sandglass/machines/contract'
import { buildVmDisk, probeKvm, QemuEngine } from '@sandglass/machines/qemu'
import { buildImage } from '../packages/machines/src/images/index.ts'
import { withEngine } from './machines.ts'
import { median, p95, type Row, row } from './row.ts'
import { imagesDir } from './service.ts'
import { timed } from './timed.ts'

const rounds = 15
const boots = 3
const pausesOfEach = 20
/** As many of each run at once when memory is measured, because what all of them share must have more than one owner. */
const crowd = 3
const idleMs = 10_000
const restingPart = 0.05
export const spec = { image: 'minimal', cpus: 1, memoryMiB: 512, pids: 256, diskMiB: 2048 }
/** The disks of containers are allocated, and their size does not matter here. */
export const specOf = (engine: Engine) => (engine instanceof QemuEngine ? spec : { ...spec, diskMiB: 512 })
/** There is no template for it, so it boots. */
const bootedSpec = { ...spec, memoryMiB: 513 }

/** Virtual machines compared with containers from the same image, in turns: the price of the wall. */
export default async function bench(): Promise<Row[]> {
  return await withBoth(async (vms, containers) => [
    ...(await starts(vms, containers)),
    ...(await atRest(vms, containers)),
    ...(await pauses(vms, containers)),
  ])
}

/** Runs work with both kinds of engines. Figures of a host that others use mean little without its load, so that is printed. */
export async function withBoth(work: (vms: Engine, containers: Engine) => Promise<Row[]>): Promise<Row[]> {
  return await withVms(vms =>
    withEngine(async containers => {
      printLoad()
      const rows = await work(vms, containers)
      printLoad()
      return rows
    }),
  )
}

/** Runs work with an engine in a temporary directory that has a template, and removes everything afterwards. */
export async function withVms<T>(work: (engine: QemuEngine) => Promise<T>): Promise<T> {
  await buildImage('minimal', { imagesDir, onProgress: console.error })
  const dataDir = await mkdtemp(join(tmpdir(), 'sandglass-bench-'))
  const kvm = await probeKvm()
  console.error(kvm.works ? 'Virtual machines run with KVM.' : `Processors are emulated: ${kvm.reason}.`)
  const acceleration = kvm.works ? 'kvm' : 'emulation'
  const engine = new QemuEngine({ dataDir, imagesDir, uplink: 'none', acceleration })
  try {
    await buildVmDisk(engine.settings, spec.image, { onProgress: console.error })
    await engine.memory.prepare(spec)
    return await work(engine)
  } finally {
    await engine.dismantle()
    await rm(dataDir, { recursive: true, force: true })
  }
}

function printLoad(): void {
  const [lastMinute = 0] = loadavg()
  console.error(`The load average is ${lastMinute.toFixed(2)}.`)
}

/** Until the desktop responds. The first of each makes what all others share. */
async function starts(vms: Engine, containers: Engine): Promise<Row[]> {
  const [saved, plain, booted]: [number[], number[], number[]] = [[], [], []]
  for (let round = -1; round < rounds; round++) {
    const [vm, container] = [
      await startOf(vms, spec, round),
      await startOf(containers, specOf(containers), round),
    ]
    if (round < 0) continue
    saved.push(vm)
    plain.push(container)
  }
  for (let round = 0; round < boots; round++) booted.push(await startOf(vms, bootedSpec, round))
  return [
    row('vms: start from saved memory p50, beside a container', 'ms', median(saved), median(plain)),
    row('vms: start from saved memory p95, beside a container', 'ms', p95(saved), p95(plain)),
    row('vms: start from saved memory p50, beside booting', 'ms', median(saved), median(booted)),
  ]
}

async function startOf(engine: Engine, what: typeof spec, round: number): Promise<number> {
  let handle: MachineHandle | undefined
  const took = await timed(async () => {
    handle = await engine.create({ ...what, id: `start-${round + 1}` })
  })
  if (handle) await engine.destroy(handle)
  await setTimeout(300)
  return took
}

/** What machines take that nobody uses. */
async function atRest(vms: Engine, containers: Engine): Promise<Row[]> {
  const memory: number[] = []
  const processor: number[] = []
  for (const engine of [vms, containers]) {
    const handles: MachineHandle[] = []
    for (let i = 0; i < crowd; i++) handles.push(await engine.create({ ...specOf(engine), id: `rest-${i}` }))
    for (const handle of handles) await rest(engine, handle)
    memory.push(median(await Promise.all(handles.map(handle => privateMiB(engine, handle)))))
    const before = await Promise.all(handles.map(handle => cpuMs(engine, handle)))
    await setTimeout(idleMs)
    const after = await Promise.all(handles.map(handle => cpuMs(engine, handle)))
    processor.push(median(after.map((ms, i) => ((ms - (before[i] ?? 0)) / idleMs) * 100)))
    for (const handle of handles) await engine.destroy(handle)
  }
  const [vmMemory = 0, containerMemory = 0] = memory
  const [vmProcessor = 0, containerProcessor = 0] = processor
  return [
    row('vms: private memory of each machine at rest, beside a container', 'MiB', vmMemory, containerMemory),
    row('vms: processor of a machine at rest, beside a container', '%', vmProcessor, containerProcessor),
  ]
}

async function rest(engine: Engine, handle: MachineHandle): Promise<void> {
  for (let last = 0, now = await cpuMs(engine, handle); now - last > restingPart * 1000; ) {
    await setTimeout(1000)
    last = now
    now = await cpuMs(engine, handle)
  }
}

async function cpuMs(engine: Engine, handle: MachineHandle): Promise<number> {
  return (await engine.activity?.(handle))?.cpuMs ?? Number.NaN
}

/** Memory of its processes that no other process of the host uses. */
async function privateMiB(engine: Engine, handle: MachineHandle): Promise<number> {
  let sum = 0
  for (const pid of (await engine.activity?.(handle))?.processes ?? []) {
    const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
    for (const [, kib] of text.matchAll(/^Private_\w+:\s+(\d+) kB$/gm)) sum += Number(kib) / 1024
  }
  return sum
}

async function pauses(vms: Engine, containers: Engine): Promise<Row[]> {
  const [paused, resumed]: [number[], number[]] = [[], []]
  for (const engine of [vms, containers]) {
    const handle = await engine.create({ ...specOf(engine), id: 'paused' })
    const [there, back]: [number[], number[]] = [[], []]
    for (let round = 0; round < pausesOfEach; round++) {
      there.push(await timed(() => engine.pause(handle)))
      back.push(await timed(() => engine.resume(handle)))
    }
    paused.push(median(there))
    resumed.push(median(back))
    await engine.destroy(handle)
  }
  return [
    row('vms: pause p50, beside a container', 'ms', paused[0] ?? Number.NaN, paused[1]),
    row('vms: resume p50, beside a container', 'ms', resumed[0] ?? Number.NaN, resumed[1]),
  ]
}
