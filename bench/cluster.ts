import type { Engine, Machine, MachineHandle, MachineSpec } from '@sandglass/machines/contract'
import { clusterSpec, testIncus } from '../packages/machines/src/engines/incus/test-engine.ts'
import { besides, noTimes } from './cluster/besides.ts'
import { patient } from './cluster/patience.ts'
import type { Place } from './cluster/setting.ts'
import { withEngine } from './machines.ts'
import type { Row } from './row.ts'
import { timed } from './timed.ts'
import { fill, waysToUse } from './vms-used.ts'

const creates = 10
/** The disk of a container of this host, which is allocated as by default. */
const localDiskMiB = 512
const uses = 20

/** A way to make and use machines, of which several are measured in turns. */
interface Contender {
  readonly name: Place
  readonly engine: Engine
  readonly spec: () => MachineSpec
  /** Prepares what creates prepare for those that follow, which would otherwise take time from whoever comes next. */
  readonly prepare: () => Promise<void>
}

/**
 * Machines in a real cluster of three members, all of them namespaces of this host: on the member that the caller talks to, and on
 * another, both beside containers that this host makes itself from the same image.
 */
export default async function bench(): Promise<Row[]> {
  const tested = await testIncus(patient, { isPreparing: true })
  try {
    return await withEngine(async local => {
      const engine = tested.open()
      const on = (member: number) => () =>
        clusterSpec({ place: { member: tested.cluster.members[member]?.name ?? '' } })
      const contenders: Contender[] = [
        { name: 'on the same member', engine, spec: on(0), prepare: () => engine.prepare(clusterSpec()) },
        { name: 'on another member', engine, spec: on(1), prepare: () => engine.prepare(clusterSpec()) },
        {
          name: 'local',
          engine: local,
          spec: () => clusterSpec({ diskMiB: localDiskMiB }),
          prepare: () => local.prepare(clusterSpec().image, localDiskMiB),
        },
      ]
      return [...(await created(contenders)), ...(await used(contenders))]
    })
  } finally {
    await tested.dispose()
  }
}

async function created(contenders: readonly Contender[]): Promise<Row[]> {
  const times = noTimes()
  for (let round = -1; round < creates; round++)
    for (const { name, engine, spec } of contenders) {
      for (const { prepare } of contenders) await prepare()
      let handle: MachineHandle | undefined
      const took = await timed(async () => {
        handle = await engine.create(spec())
      })
      if (handle) await engine.destroy(handle)
      if (round >= 0) times[name].push(took)
    }
  return besides('create', times)
}

async function used(contenders: readonly Contender[]): Promise<Row[]> {
  const machines: [Place, Machine][] = []
  for (const { name, engine, spec } of contenders)
    machines.push([name, await engine.open(await engine.create(spec()))])
  for (const [, machine] of machines) await fill(machine)
  const rows: Row[] = []
  for (const [what, use] of Object.entries(waysToUse)) {
    const times = noTimes()
    for (let round = -2; round < uses; round++)
      for (const [name, machine] of machines) {
        const took = await use(machine, round + 2)
        if (round >= 0) times[name].push(took)
      }
    rows.push(...besides(what, times))
  }
  for (const [, machine] of machines) machine.close()
  for (const { engine } of contenders)
    for (const { handle } of await engine.list()) await engine.destroy(handle)
  return rows
}
