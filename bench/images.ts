import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Machine, MachineHandle, SnapshotHandle } from '@sandglass/machines/contract'
import { type LocalEngine, machinePaths } from '@sandglass/machines/local'
import { OperatorImage } from '@sandglass/protocol'
import { z } from 'zod'
import { buildImage } from '../packages/machines/src/images/index.ts'
import { withEngine } from './machines.ts'
import { median, p95, type Row, row } from './row.ts'
import { type BenchService, imagesDir, withService } from './service.ts'
import { timed } from './timed.ts'

const run = promisify(execFile)
const rounds = 20
const forks = 10
const changedMiB = 1024
const spec = { image: 'minimal', cpus: 1, memoryMiB: 1024, pids: 512, diskMiB: 2560 }

/** Saved disks: machines that are created from them, forks, the pause of the source, and hibernation. */
export default async function bench(): Promise<Row[]> {
  await buildImage('minimal', { imagesDir, onProgress: console.error })
  return [
    ...(await withEngine(creates)),
    ...(await withEngine((engine, dataDir) => forkRows(engine, dataDir))),
    ...(await withEngine(pauses)),
    ...(await withEngine(hibernation)),
    ...(await withService({ shapes: [{ diskMiB: 512 }] }, fromPool)),
  ]
}

/** One machine from a saved disk and one from the image, in turns. Both have a root in stock. */
async function creates(engine: LocalEngine): Promise<Row[]> {
  const source = await engine.create({ ...spec, id: 'source' })
  await change(await engine.open(source), 64)
  const { handle } = await engine.snapshots.take(source, { id: 'saved' })
  const [saved, plain]: [number[], number[]] = [[], []]
  for (let round = -2; round < rounds; round++) {
    for (const [times, create] of [
      [plain, (id: string) => engine.create({ ...spec, id })],
      [saved, (id: string) => engine.snapshots.create(handle, { ...spec, id })],
    ] as const) {
      // The stock is refilled meanwhile.
      await setTimeout(500)
      const id = `round-${round + 2}`
      let machine: MachineHandle | undefined
      const took = await timed(async () => {
        machine = await create(id)
      })
      if (machine) await engine.destroy(machine)
      if (round >= 0) times.push(took)
    }
  }
  return [
    row('create from an image p50, beside from a shape', 'ms', median(saved), median(plain)),
    row('create from an image p95, beside from a shape', 'ms', p95(saved), p95(plain)),
  ]
}

/** From the HTTP request until the sandbox is RUNNING: one that claims a warm machine of an image, and one that boots, in turns. */
async function fromPool(service: BenchService): Promise<Row[]> {
  const { id: sandboxId } = await service.create()
  const saved = { sandboxId, name: 'saved', deleteSandbox: true }
  const { id: imageId } = await service.client.createMachineImage({ body: saved })
  const images = await operatorImagesOf(service)
  await images.setWarm(imageId, 3)
  const [warm, cold]: [number[], number[]] = [[], []]
  for (let round = -2; round < rounds; round++)
    for (const [times, choices] of [
      [warm, {}],
      // Variables of its own need a machine of its own.
      [cold, { env: { OWN: 'yes' } }],
    ] as const) {
      while ((await images.ready(imageId)) < 3) await setTimeout(100)
      await setTimeout(500)
      const asked = { imageId, name: 'copy', maxLifeSeconds: 600, wait: 30, ...choices }
      const took = await timed(async () => {
        const { sandbox } = await service.client.createSandboxFromImage({ body: asked })
        if (sandbox.status !== 'RUNNING') throw new Error(`it is ${sandbox.status}: ${sandbox.reason}`)
      })
      await service.deleteAll()
      if (round >= 0) times.push(took)
    }
  return [
    row(
      'sandbox over HTTP from a pool of an image p50, beside from an image',
      'ms',
      median(warm),
      median(cold),
    ),
    row('sandbox over HTTP from a pool of an image p95, beside from an image', 'ms', p95(warm), p95(cold)),
  ]
}

/** What the operator does with images. */
async function operatorImagesOf({ folder, url }: BenchService) {
  const { operatorKey } = JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8'))
  const path = `${url}/api/operator/machine-images`
  const headers = { 'x-api-key': operatorKey, 'content-type': 'application/json' }
  return {
    async setWarm(id: string, warm: number): Promise<void> {
      const answer = await fetch(`${path}/${id}`, {
        method: 'PATCH',
        headers,
        body: JSON.stringify({ warm }),
      })
      if (!answer.ok) throw new Error(`the pool of the image was refused: ${await answer.text()}`)
    },
    async ready(id: string): Promise<number> {
      const listed = z.array(OperatorImage).parse(await (await fetch(path, { headers })).json())
      return listed.find(image => image.id === id)?.ready ?? 0
    },
  }
}

/** Ten forks of a desktop that has changed a gigabyte, until all run, beside copying its files ten times. */
async function forkRows(engine: LocalEngine, dataDir: string): Promise<Row[]> {
  const source = await engine.create({ ...spec, id: 'source' })
  await change(await engine.open(source), changedMiB)
  await run('sync')
  const ids = Array.from({ length: forks }, (_, i) => `fork-${i}`)
  const createAll = (from: SnapshotHandle) =>
    Promise.all(ids.map(id => engine.snapshots.create(from, { ...spec, id })))
  let handle: SnapshotHandle | undefined
  const ours = await timed(async () => {
    ;({ handle } = await engine.snapshots.take(source, { id: 'saved' }))
    await createAll(handle)
  })
  const destroyAll = async () => {
    for (const id of ids) await engine.destroy({ ...source, state: { id } })
    await setTimeout(3000)
  }
  await destroyAll()
  // The volume has grown for the first ones, which takes space by itself.
  const before = await usedMiB(engine)
  if (handle) await createAll(handle)
  await setTimeout(3000)
  const each = ((await usedMiB(engine)) - before) / forks
  await destroyAll()
  if (handle) await engine.snapshots.remove(handle)
  const { upper } = machinePaths(engine.settings, 'source')
  const copies = await mkdtemp(join(dataDir, 'copies-'))
  const theirs = await timed(async () => {
    for (let i = 0; i < forks; i++) await run('cp', ['-a', upper, join(copies, String(i))])
    await run('sync', ['-f', copies])
  })
  await rm(copies, { recursive: true })
  return [
    row(
      `${forks} forks of a desktop with ${changedMiB} MiB of changes, until all run, beside cp -a`,
      'ms',
      ours,
      theirs,
    ),
    row('disk of each fork that changed nothing itself', 'MiB', each),
  ]
}

/** How long programs that write all the time have to wait. */
async function pauses(engine: LocalEngine): Promise<Row[]> {
  const source = await engine.create({ ...spec, id: 'source' })
  const machine = await engine.open(source)
  const script = 'cd /home/user; while :; do head -c 20000000 /dev/urandom > a; mv a b; done'
  const writer = await machine.exec({ executable: 'sh', args: ['-c', script] })
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    await setTimeout(300)
    const { handle, pauseMs } = await engine.snapshots.take(source, { id: `saved-${round}` })
    times.push(pauseMs)
    await engine.snapshots.remove(handle)
  }
  writer.kill()
  return [
    row('pause of a machine that writes while it is saved, p50', 'ms', median(times)),
    row('pause of a machine that writes while it is saved, p95', 'ms', p95(times)),
  ]
}

async function hibernation(engine: LocalEngine): Promise<Row[]> {
  const source = await engine.create({ ...spec, id: 'source' })
  const [stops, wakes, plain]: [number[], number[], number[]] = [[], [], []]
  for (let round = 0; round < rounds; round++) {
    stops.push(await timed(() => engine.stop(source)))
    await setTimeout(300)
    wakes.push(await timed(() => engine.restart(source)))
    await setTimeout(300)
    let machine: MachineHandle | undefined
    plain.push(
      await timed(async () => {
        machine = await engine.create({ ...spec, id: `plain-${round}` })
      }),
    )
    if (machine) await engine.destroy(machine)
  }
  return [
    row('hibernate p50, beside a create', 'ms', median(stops), median(plain)),
    row('wake p50, beside a create', 'ms', median(wakes), median(plain)),
  ]
}

/** Random bytes in files of ten megabytes, as root and as the user. */
async function change(machine: Machine, amountMiB: number): Promise<void> {
  const script = `cd /home/user; for n in $(seq ${Math.ceil(amountMiB / 10)}); do head -c 10485760 /dev/urandom > f$n; done; sync`
  const running = await machine.exec({ executable: 'sh', args: ['-c', script] })
  await text(running.stdout)
  await running.exited
}

async function usedMiB({ settings }: LocalEngine): Promise<number> {
  const { blocks, bfree, bsize } = await statfs(settings.disksDir)
  return ((blocks - bfree) * bsize) / 1024 / 1024
}
