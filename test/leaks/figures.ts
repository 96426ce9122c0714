import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { settle } from '@sandglass/machines/local'
import { patienceMs } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { mountsBelow } from '../../packages/machines/src/engines/local/rootfs/mounts.ts'
import type { Pool } from '../../packages/server/src/db/database.ts'
import { descendantsOf, frontOf } from '../support/host-processes.ts'
import type { MachineInstallation } from '../support/machine-installation.ts'

/** The resources of a service, by name. Memory is in bytes; everything else is a count. */
export type Figures = ReadonlyMap<string, number>

export const isMemory = (name: string) => name.startsWith('memory: ')

/** Connections to the database, and timers, come and go. */
export const comesAndGoes = (name: string) => name.startsWith('active: ') || name === 'file descriptors'

const memory = new Map([
  ['process_resident_memory_bytes', 'memory: resident'],
  ['nodejs_external_memory_bytes', 'memory: external'],
  ['nodejs_heap_size_used_bytes', 'memory: heap'],
])

/** Measures from outside, with the service's metrics, the kernel and the database. */
export async function measure(installation: MachineInstallation, database: Pool): Promise<Figures> {
  const { instance, runDir, preparedDir } = settle(installation.engineOptions)
  const figures = new Map<string, number>(await serviceFigures(installation))
  const children = await descendantsOf(installation.service.pid)
  // The database has one process per pooled connection, and these come and go.
  figures.set('child processes', children.filter(({ name }) => name !== 'postgres').length)
  // As many roots are prepared as were lately created at once, each with a container that waits, so those come and go.
  const prepared = join(runDir, 'prepared')
  figures.set('mounts', (await mountsBelow(runDir)).filter(path => !path.startsWith(prepared)).length)
  figures.set(
    'cgroups',
    await cgroupCount(`sandglass-${instance}`, await readdir(preparedDir).catch(() => [])),
  )
  for (const [table, rows] of await rowCounts(database)) figures.set(`rows: ${table}`, rows)
  return figures
}

/** Waits until nothing changes any more but what comes and goes, and measures then. */
export async function measureWhenQuiet(installation: MachineInstallation, database: Pool): Promise<Figures> {
  const looks: Figures[] = []
  for (const end = Date.now() + patienceMs; ; await pause(500)) {
    const figures = await measure(installation, database)
    looks.push(figures)
    const restless = changing(looks.slice(-6))
    if (looks.length >= 6 && restless.length === 0) return figures
    assert.ok(Date.now() < end, `the service never came to rest: ${restless.join('; ')}`)
  }
}

/** What differs between looks at a service, with its values. */
function changing(looks: readonly Figures[]): string[] {
  const names = new Set(looks.flatMap(figures => [...figures.keys()]))
  return [...names]
    .filter(name => !isMemory(name) && !comesAndGoes(name))
    .map(name => ({ name, values: looks.map(figures => figures.get(name) ?? 0) }))
    .filter(({ values }) => new Set(values).size > 1)
    .map(({ name, values }) => `${name} ${values.join(', ')}`)
}

async function serviceFigures({ service, credentials }: MachineInstallation) {
  // The signal may be handled only after this request, so callers measure repeatedly.
  process.kill(await frontOf(service.pid), 'SIGUSR2')
  const response = await fetch(`${credentials.url}/metrics`, {
    headers: { 'x-api-key': credentials.operatorKey, connection: 'close' },
  })
  assert.equal(response.status, 200)
  const found: [string, number][] = []
  for (const line of (await response.text()).split('\n')) {
    const [, metric = '', type, value] = /^(\w+)(?:\{type="(\w+)"\})? (\S+)$/.exec(line) ?? []
    const name =
      metric === 'nodejs_active_resources' && type
        ? `active: ${type}`
        : metric === 'process_open_fds'
          ? 'file descriptors'
          : memory.get(metric)
    if (name) found.push([name, Number(value)])
  }
  return found
}

async function cgroupCount(parent: string, without: readonly string[]): Promise<number> {
  const roots = (await readFile('/proc/self/mounts', 'utf8'))
    .split('\n')
    .map(line => line.split(' '))
    .filter(([, , type]) => type === 'cgroup' || type === 'cgroup2')
  const names = new Set<string>()
  for (const [, root = ''] of roots)
    for (const entry of await readdir(join(root, parent), { withFileTypes: true }).catch(() => []))
      if (entry.isDirectory()) names.add(entry.name)
  return [...names].filter(name => !without.includes(name)).length
}

async function rowCounts({ db }: Pool): Promise<[string, number][]> {
  const tables = await sql<{ name: string }>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`.execute(db)
  const counts: [string, number][] = []
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ rows: string }>`SELECT count(*) AS rows FROM ${sql.table(name)}`.execute(db)
    counts.push([name, Number(rows[0]?.rows)])
  }
  return counts
}
