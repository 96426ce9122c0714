import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Machine, MachineHandle } from '../packages/machines/src/contract/index.ts'
import { installGvisor, LocalEngine } from '../packages/machines/src/engines/local/index.ts'
import { buildImage } from '../packages/machines/src/images/index.ts'
import { median, type Row, row } from './row.ts'
import { imagesDir } from './service.ts'
import { timed } from './timed.ts'

const rounds = 10
const calls = rounds * 4
const spec = { image: 'minimal', cpus: 1, memoryMiB: 1024, pids: 512, diskMiB: 4096 }

/** Reads what a compiler or a shell reads: many small files, by name. */
const manyFiles = 'find /usr/lib/python3* -name "*.py" | head -300 | xargs cat > /dev/null'

/** What gVisor costs: machines with runsc (ours) and with runc (the rival), alternating in the same run. */
export default async function bench(): Promise<Row[]> {
  await installGvisor()
  await buildImage('minimal', { imagesDir, onProgress: console.error })
  const dataDir = await mkdtemp(join(tmpdir(), 'sandglass-bench-'))
  const engine = new LocalEngine({ dataDir, imagesDir, uplink: 'none', readyTimeoutMs: 120_000 })
  try {
    return [...(await lives(engine)), ...(await insides(engine))]
  } finally {
    await engine.dismantle()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function lives(engine: LocalEngine): Promise<Row[]> {
  const [creates, destroys] = [samples(), samples()]
  for (let i = -1; i < rounds; i++)
    for (const runtime of ['runsc', 'runc'] as const) {
      await engine.prepare(spec.image, spec.diskMiB)
      let handle: MachineHandle | undefined
      const created = await timed(async () => {
        handle = await engine.create({ ...spec, runtime, id: `life-${runtime}-${i + 1}` })
      })
      const destroyed = await timed(async () => handle && engine.destroy(handle))
      // The first of each fills the caches.
      if (i < 0) continue
      creates[runtime].push(created)
      destroys[runtime].push(destroyed)
    }
  return [compared('create', creates), compared('destroy', destroys)]
}

async function insides(engine: LocalEngine): Promise<Row[]> {
  const open = async (runtime: string): Promise<Machine> =>
    await engine.open(await engine.create({ ...spec, runtime, id: `inside-${runtime}` }))
  const machines = { runsc: await open('runsc'), runc: await open('runc') }
  const run = async (machine: Machine, executable: string, ...args: string[]) =>
    (await machine.exec({ executable, args })).exited
  let moved = 0
  const works: [string, number, (machine: Machine) => Promise<unknown>][] = [
    ['exec of a program that does nothing', calls, machine => run(machine, 'true')],
    ['300 small files read by a program', rounds, machine => run(machine, 'sh', '-c', manyFiles)],
    ['1 MiB written through the agent', rounds, m => m.files.write('/tmp/blob', Buffer.alloc(1 << 20))],
    ['move of the pointer', calls, async m => (await m.screen.input()).move({ x: 100 + moved++, y: 100 })],
    ['picture of the screen', calls, machine => machine.screen.look()],
  ]
  const rows: Row[] = []
  for (const [name, count, work] of works) {
    const taken = samples()
    for (let i = -1; i < count; i++)
      for (const runtime of ['runsc', 'runc'] as const) {
        const took = await timed(() => work(machines[runtime]))
        if (i >= 0) taken[runtime].push(took)
      }
    rows.push(compared(name, taken))
  }
  for (const machine of Object.values(machines)) machine.close()
  return rows
}

const samples = (): Record<'runsc' | 'runc', number[]> => ({ runsc: [], runc: [] })

const compared = (name: string, taken: Record<'runsc' | 'runc', number[]>): Row =>
  row(`gVisor: ${name} p50, beside runc`, 'ms', median(taken.runsc), median(taken.runc))
