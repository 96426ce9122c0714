import assert from 'node:assert/strict'
import { at, type TestMember } from '../../packages/machines/src/engines/incus/test-cluster/index.ts'
import type { ClusterWorld } from './cluster-world.ts'

/** The instance of each machine that the database knows, by the id of the machine. One that was prepared keeps its name. */
export async function instancesOfRows({ database }: ClusterWorld): Promise<Map<string, string>> {
  const rows = await database.db.selectFrom('machines').select(['id', 'handle']).execute()
  return new Map(rows.map(({ id, handle }) => [id, String(at(at(handle, 'state'), 'instance') ?? `m-${id}`)]))
}

/** An instance in the project of the services, as Incus describes it. */
export interface ListedInstance {
  readonly name: string
  readonly member: string
  readonly status: string
  /** Whether it waits to become a machine. */
  readonly isPrepared: boolean
}

/** Asks a member that is up. While another one is gone, the answer may take long. */
export async function instancesOf({ cluster }: ClusterWorld): Promise<ListedInstance[]> {
  const member = cluster.members.find(({ isUp }) => isUp) ?? assert.fail('no member is up')
  const listed = await member.request('GET', '/1.0/instances?project=sandglass&recursion=1')
  assert.ok(Array.isArray(listed))
  return listed.map(one => ({
    name: String(at(one, 'name')),
    member: String(at(one, 'location')),
    status: String(at(one, 'status')),
    isPrepared: at(at(one, 'config'), 'user.sandglass.prepared') !== undefined,
  }))
}

/** The member that has the machine of each kept sandbox. */
export async function placesOf(world: ClusterWorld): Promise<Map<string, string>> {
  const members = new Map((await instancesOf(world)).map(({ name, member }) => [name, member]))
  const rows = await world.database.db.selectFrom('sandboxes').select(['id', 'machine_id']).execute()
  const names = await instancesOfRows(world)
  return new Map(rows.map(row => [row.id, members.get(names.get(row.machine_id ?? '') ?? '') ?? '']))
}

/** The instances that really run on a member, whatever Incus says of them: those that have a process which holds them. */
async function runningOn(member: TestMember): Promise<string[]> {
  const script = `for file in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $file; echo; done 2> /dev/null; true`
  const lines = (await member.run('sh', ['-c', script])).split('\n')
  return lines.flatMap(line => /^\[lxc monitor\] \S+ sandglass_(\S+)/.exec(line)?.[1] ?? [])
}

/** The members on which each instance runs. */
export async function runningIn({ cluster }: ClusterWorld): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  // For a moment, an instance that starts has two such processes.
  for (const member of cluster.members.filter(({ isUp }) => isUp))
    for (const name of new Set(await runningOn(member)))
      found.set(name, [...(found.get(name) ?? []), member.name])
  return found
}

/**
 * Lists what differs between the database, Incus and the processes on the members: each sandbox that runs has one machine that runs on
 * one member, and there is nothing else.
 */
export async function differences(world: ClusterWorld): Promise<string[]> {
  const { db } = world.database
  const rows = await db.selectFrom('machines').select(['id', 'state']).execute()
  const sandboxes = await db.selectFrom('sandboxes').select(['machine_id', 'status']).execute()
  const statuses = new Map(sandboxes.map(({ machine_id, status }) => [machine_id, status]))
  const names = await instancesOfRows(world)
  const known = new Map(rows.map(({ id }) => [names.get(id) ?? '', statuses.get(id) ?? 'without a sandbox']))
  const [instances, running] = [await instancesOf(world), await runningIn(world)]
  const named = new Map(instances.map(one => [one.name, one]))
  return [
    ...rows.filter(({ state }) => state !== 'claimed').map(({ id, state }) => `the row ${id} is ${state}`),
    ...[...known].flatMap(([name, status]) => {
      const runs = running.get(name) ?? []
      const where = `Incus says ${named.get(name)?.status ?? 'nothing'}, and it runs on ${runs.join(' and ') || 'no member'}`
      if (status === 'RUNNING' ? runs.length === 1 && runs[0] === named.get(name)?.member : runs.length === 0)
        return []
      return [`the sandbox of ${name} is ${status}, but ${where}`]
    }),
    ...instances
      .filter(({ name, isPrepared }) => !known.has(name) && !isPrepared)
      .map(({ name }) => `nobody knows the instance ${name}`),
    ...[...running.keys()]
      .filter(name => !named.has(name))
      .map(name => `${name} runs, and Incus does not know it`),
  ]
}
