import type { Engine, ListedMachine, MachineHandle } from '@sandglass/machines/contract'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { enginesOf } from '../packages/server/src/testing/engines-of.ts'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { startTestService, type TestService } from '../packages/server/src/testing/test-service.ts'
import { machineOf } from '../test/support/folder-engine/cluster.ts'
import { paperEngines } from '../test/support/paper-engine.ts'
import { median, type Row, row } from './row.ts'
import { timed } from './timed.ts'

const memberCount = 1000
const machineCount = 5000
const lostCount = 100
const rounds = 20
const batch = 100

/** A cluster on paper: machine number n is on member n modulo the number of members. */
class PaperCluster {
  readonly machines = new Map<string, ListedMachine>()
  readonly lost = new Set<string>()
  readonly #counts = new Map<string, number>()
  readonly engine: Engine

  constructor(paper: Engine) {
    const { lost } = this
    this.engine = {
      ...paper,
      scope: 'shared',
      cluster: 'paper',
      members: async () =>
        Array.from({ length: memberCount }, (_, n) => nameOf(n)).map(name => ({
          name,
          status: lost.has(name) ? 'offline' : 'online',
          machines: this.#counts.get(name) ?? 0,
          fits: 100,
          freeMemoryMiB: 65_536,
          freeDiskMiB: 1_000_000,
        })),
      create: async spec => this.add(spec.id, spec.owner),
      list: async () => [...this.machines.values()],
      inspect: async ({ state }) => {
        const machine = this.machines.get(String(state))
        if (!machine) return { status: 'missing' }
        return { status: lost.has(machine.member ?? '') ? 'lost' : 'running' }
      },
      destroy: async ({ state }) => void this.machines.delete(String(state)),
    }
  }

  add(id: string, owner: ListedMachine['owner']): MachineHandle {
    const member = nameOf(this.machines.size % memberCount)
    const handle = { engine: 'local', version: 1, state: id }
    this.machines.set(id, { id, handle, owner, member })
    this.#counts.set(member, (this.#counts.get(member) ?? 0) + 1)
    return handle
  }
}

const nameOf = (n: number) => `member-${n}`

/** Copies the rows of one sandbox, because creating thousands would measure something else. */
async function fill({ pool: { db } }: TestService, cluster: PaperCluster, machineId: string): Promise<void> {
  const first = [...cluster.machines.values()].find(({ id }) => id === machineId)
  // Each insert numbers its rows with a counter in one row, which is slow for many rows in one transaction.
  for (let from = 1; from < machineCount; from += batch) {
    const end = Math.min(from + batch, machineCount)
    const copies = sql`generate_series(${from}::int, ${end - 1}::int) AS n`
    await sql`INSERT INTO machines SELECT (jsonb_populate_record(NULL::machines, to_jsonb(machine) ||
        jsonb_build_object('id', 'copy-' || n,
          'handle', jsonb_build_object('engine', 'local', 'version', 1, 'state', 'copy-' || n)))).*
      FROM machines AS machine, ${copies} WHERE machine.id = ${first?.id}`.execute(db)
    await sql`INSERT INTO sandboxes SELECT (jsonb_populate_record(NULL::sandboxes, to_jsonb(sandbox) ||
        jsonb_build_object('id', 'copy-' || n, 'machine_id', 'copy-' || n))).*
      FROM sandboxes AS sandbox, ${copies} WHERE sandbox.machine_id = ${first?.id}`.execute(db)
    // Only now, because the service destroys machines of its own that have no row.
    for (let n = from; n < end; n++) cluster.add(`copy-${n}`, first?.owner)
  }
}

/**
 * What a cluster of many members costs the service, on paper: a start, the list of nodes, metrics, and the loss of a tenth of the
 * members.
 */
export default async function members(): Promise<Row[]> {
  const [name] = paperEngines().names
  const cluster = new PaperCluster(paperEngines().get(name ?? '') ?? fail())
  const serve = (env = {}) =>
    startTestService({ SANDGLASS_NODE_LEASE: '12', ...env }, async () => enginesOf(cluster.engine))
  try {
    const before = await serve()
    const sandbox = await makeSandbox(before, { shapeName: 'linux-desktop' })
    await fill(before, cluster, await machineOf(before, sandbox))
    await before.service.close()
    let service = before
    const start = await timed(async () => {
      service = await serve({ SANDGLASS_DATA: before.folder })
      await waitFor(async () => (await service.get('/readyz', { key: null })).body.degraded === undefined)
    })
    const list = () => service.operator('GET', '/api/operator/nodes')
    await waitFor(async () => (await list()).body[0].members?.length === memberCount)
    const { text } = await list()
    const nodes = await repeated(list)
    const metrics = await repeated(() => service.operator('GET', '/metrics'))
    for (let n = 0; n < lostCount; n++) cluster.lost.add(nameOf(n))
    const affected = await sandboxesOn(service, cluster, cluster.lost)
    const loss = await timed(() => waitFor(async () => (await countInError(service)) === affected))
    const what = `${memberCount} members, ${machineCount} machines`
    return [
      row(`start of the service until its machines are taken up, ${what}`, 'ms', start),
      row(`list of nodes, ${what}`, 'ms', nodes),
      row(`list of nodes, ${what}, size`, 'KiB', text.length / 1024),
      row(`metrics, ${what}`, 'ms', metrics),
      row(`${lostCount} members lost, until ${affected} sandboxes are in ERROR`, 'ms', loss),
    ]
  } finally {
    await cleanup.disposeAsync()
  }
}

/** Some of the machines wait in the warm pool and have no sandbox. */
async function sandboxesOn(
  { pool: { db } }: TestService,
  { machines }: PaperCluster,
  members: ReadonlySet<string>,
): Promise<number> {
  const rows = await db.selectFrom('sandboxes').select('machine_id').execute()
  return rows.filter(({ machine_id: id }) => members.has(machines.get(id ?? '')?.member ?? '')).length
}

async function countInError({ pool: { db } }: TestService): Promise<number> {
  const { count } = await db
    .selectFrom('sandboxes')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('status', '=', 'ERROR')
    .executeTakeFirstOrThrow()
  return Number(count)
}

async function repeated(call: () => Promise<unknown>): Promise<number> {
  const took: number[] = []
  for (let round = 0; round < rounds; round++) took.push(await timed(call))
  return median(took)
}

function fail(): never {
  throw new Error('there is no engine on paper')
}
