import type { IncusEngine } from '../packages/machines/src/engines/incus/index.ts'
import { clusterSpec, testIncus } from '../packages/machines/src/engines/incus/test-engine.ts'
import { patient } from './cluster/patience.ts'
import { availableMiB } from './machines.ts'
import { median, p95, type Row, row } from './row.ts'
import { timed } from './timed.ts'

/** `BENCH_MACHINES` is another number, for a host with less memory or with other work. */
const machineCount = Number(process.env['BENCH_MACHINES'] ?? 100)
/** The host keeps this much, because it would end processes without it. */
const reservedMiB = 4096

/** Many machines in a cluster of three members, all of them namespaces of this host. Each member creates one at a time. */
export default async function bench(): Promise<Row[]> {
  const tested = await testIncus({ ...patient, diskMiB: 65_536 })
  try {
    const engine = tested.open()
    const members = tested.cluster.members.map(({ name }) => name)
    // The first one on a member unpacks the image there.
    for (const name of members) await create(engine, name)
    const times: number[] = []
    const queue = Array.from({ length: machineCount }, (_, n) => n).values()
    const took = await timed(() =>
      Promise.all(
        members.map(async name => {
          for (const _ of queue) {
            if ((await availableMiB()) < reservedMiB) return
            times.push(await create(engine, name))
          }
        }),
      ),
    )
    const made = times.length
    if (made < machineCount)
      console.error(
        `cluster: stopped after ${made} of ${machineCount} machines, because less than ${reservedMiB} MiB of memory are left`,
      )
    const listing = await timed(() => engine.list())
    const figures = await Promise.all((await engine.list()).map(({ handle }) => engine.figures(handle)))
    const what = `${made} machines across three members`
    return [
      row(`cluster: ${what}, until all run`, 'ms', took),
      row(`cluster: ${what}, create p50`, 'ms', median(times)),
      row(`cluster: ${what}, create p95`, 'ms', p95(times)),
      row(
        `cluster: ${what}, memory of each p50`,
        'MiB',
        median(figures.map(({ memory }) => (memory?.usedBytes ?? 0) / 2 ** 20)),
      ),
      row(`cluster: ${what}, listing them`, 'ms', listing),
    ]
  } finally {
    await tested.dispose()
  }
}

const create = (engine: IncusEngine, member: string) =>
  timed(() => engine.create(clusterSpec({ diskMiB: 512, place: { member } })))
