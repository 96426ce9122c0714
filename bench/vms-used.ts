import type { Engine, Machine } from '@sandglass/machines/contract'
import { median, type Row, row } from './row.ts'
import { timed } from './timed.ts'
import { specOf, withBoth } from './vms.ts'

const uses = 20
const largeMiB = 16
const place = (round: number) => ({ x: 100 + ((round * 137) % 900), y: 100 + ((round * 89) % 400) })

/** What callers do, in one virtual machine and one container from the same image, in turns: the price of the wall. */
export default async function bench(): Promise<Row[]> {
  return await withBoth(used)
}

async function used(vms: Engine, containers: Engine): Promise<Row[]> {
  const machines: Machine[] = []
  for (const engine of [vms, containers])
    machines.push(await engine.open(await engine.create({ ...specOf(engine), id: 'used' })))
  for (const machine of machines) await fill(machine)
  const rows: Row[] = [await firstLooks(vms, containers)]
  for (const [name, use] of Object.entries(waysToUse)) {
    const [ours, theirs]: [number[], number[]] = [[], []]
    for (let round = -2; round < uses; round++)
      for (const [i, machine] of machines.entries()) {
        const took = await use(machine, round + 2)
        if (round >= 0) (i === 0 ? ours : theirs).push(took)
      }
    rows.push(row(`vms: ${name} p50, beside a container`, 'ms', median(ours), median(theirs)))
  }
  for (const machine of machines) machine.close()
  for (const engine of [vms, containers])
    for (const { handle } of await engine.list()) await engine.destroy(handle)
  return rows
}

/** The whole screen, by a service that has just begun to look. Later pictures need only what has changed. */
async function firstLooks(vms: Engine, containers: Engine): Promise<Row> {
  const times: number[] = []
  for (const engine of [vms, containers]) {
    const took: number[] = []
    for (let round = 0; round < uses; round++) {
      const [listed] = await engine.list()
      if (!listed) throw new Error('there is no machine')
      const machine = await engine.open(listed.handle)
      took.push(await timed(() => machine.screen.look()))
      machine.close()
    }
    times.push(median(took))
  }
  return row('vms: first screenshot p50, beside a container', 'ms', times[0] ?? Number.NaN, times[1])
}

const [small, large] = ['/home/user/small', '/home/user/large']

export async function fill(machine: Machine): Promise<void> {
  const script = `head -c 1000 /dev/urandom > ${small}; head -c ${largeMiB}M /dev/urandom > ${large}`
  await (await machine.exec({ executable: 'sh', args: ['-c', script] })).exited
}

const readAll = (machine: Machine, path: string) =>
  timed(async () => {
    for await (const _ of (await machine.files.open(path)).read());
  })

async function click(machine: Machine, round: number): Promise<void> {
  const input = await machine.screen.input()
  await input.move(place(round))
  // It opens the menu of the desktop, which the next picture shows.
  input.press('right')
  input.release('right')
  await input.taken()
}

export const waysToUse: Record<string, (machine: Machine, round: number) => Promise<number>> = {
  'exec true': machine => timed(async () => (await machine.exec({ executable: 'true' })).exited),
  click: (machine, round) => timed(() => click(machine, round)),
  'screenshot of what a click changed': async (machine, round) => {
    machine.screen.begin?.()
    await click(machine, round)
    await machine.screen.atRest?.({ quietMs: 100, maxMs: 5000 })
    return await timed(() => machine.screen.look())
  },
  'read 1 kB': machine => readAll(machine, small),
  [`read ${largeMiB} MiB`]: machine => readAll(machine, large),
}
