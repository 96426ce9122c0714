import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { awaitDesktop } from '../packages/machines/src/engines/local/desktop-ready.ts'
import { LocalEngine } from '../packages/machines/src/engines/local/index.ts'
import { runCommand } from '../packages/machines/src/engines/local/run-command.ts'
import { buildImage, imageFolder } from '../packages/machines/src/images/index.ts'

/**
 * From nothing to a desktop that answers: the engine beside the floor, in turns in the same run; then memory of each
 * further desktop and the time of a create while many run.
 */
const { values } = parseArgs({
  options: {
    image: { type: 'string', default: 'minimal' },
    rounds: { type: 'string', default: '15' },
    many: { type: 'string', default: '60' },
    images: { type: 'string', default: join(import.meta.dirname, '../data/images') },
  },
})
const dataDir = await mkdtemp(join(tmpdir(), 'sandglass-bench-'))
await buildImage(values.image, { imagesDir: values.images, onProgress: console.error })
const root = join(values.images, await imageFolder(values.image))
const engine = new LocalEngine({ dataDir, imagesDir: values.images, uplink: 'none' })
const spec = { image: values.image, cpus: 1, memoryMiB: 1024, pids: 512, diskMiB: 4096 }

async function floor(round: number): Promise<number> {
  const name = `floor-${process.pid}-${round}`
  const folder = join(dataDir, name)
  await runCommand('mkdir', ['-p', join(folder, 'x11')])
  const start = performance.now()
  const desktop = awaitDesktop(join(folder, 'x11'), AbortSignal.timeout(20_000))
  await runCommand(join(import.meta.dirname, 'machines-floor.sh'), [root, folder, name])
  await desktop
  const took = performance.now() - start
  await runCommand('runc', ['--root', join(folder, 'runtime'), 'delete', '--force', name])
  await rm(folder, { recursive: true, force: true })
  return took
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const quantile = (times: readonly number[], share: number) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
const shown = (times: readonly number[]) =>
  `p50 ${quantile(times, 0.5).toFixed(0)} ms, p95 ${quantile(times, 0.95).toFixed(0)} ms`

async function availableMiB(): Promise<number> {
  return Number(/^MemAvailable:\s+(\d+)/m.exec(await readFile('/proc/meminfo', 'utf8'))?.[1]) / 1024
}

try {
  const floors: number[] = []
  const creates: number[] = []
  const destroys: number[] = []
  for (let round = -2; round < Number(values.rounds); round++) {
    await engine.prepare(values.image, spec.diskMiB)
    const one = await floor(round)
    const id = `bench-${round + 2}`
    const create = await timed(() => engine.create({ ...spec, id }))
    const handle = (await engine.list())[0]
    const destroy = handle ? await timed(() => engine.destroy(handle)) : Number.NaN
    // The first two warm the page cache and the engine.
    if (round < 0) continue
    floors.push(one)
    creates.push(create)
    destroys.push(destroy)
  }
  console.log(`floor    ${shown(floors)}`)
  console.log(
    `create   ${shown(creates)}, ${(quantile(creates, 0.5) / quantile(floors, 0.5)).toFixed(2)} times the floor`,
  )
  console.log(`destroy  ${shown(destroys)}`)

  const many = Number(values.many)
  const before = await availableMiB()
  const times: number[] = []
  for (let i = 0; i < many; i++) times.push(await timed(() => engine.create({ ...spec, id: `many-${i}` })))
  const each = (before - (await availableMiB())) / many
  console.log(
    `${many} at once: the first ten ${shown(times.slice(0, 10))}, the last ten ${shown(times.slice(-10))}`,
  )
  console.log(`each further desktop takes ${each.toFixed(1)} MiB`)
} finally {
  await engine.dismantle()
  await rm(dataDir, { recursive: true, force: true })
}
