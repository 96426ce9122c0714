import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MachineHandle } from '@sandglass/machines/contract'
import type { EngineDefinition } from '../../../packages/server/src/engines/engine-definition.ts'
import { openEngines } from '../../../packages/server/src/engines/open-engines.ts'
import { registry, setUpEngines } from '../../../packages/server/src/engines/registry.ts'
import { readSettings } from '../../../packages/server/src/settings.ts'
import { startTestService, type TestService } from '../../../packages/server/src/testing/test-service.ts'
import { temporaryFolder } from '../service-process.ts'
import { folder } from './definition.ts'
import { FolderMembers } from './folder-members.ts'

const shape = {
  name: 'small',
  description: 'A machine in a folder.',
  os: 'Linux',
  virtualization: 'Container',
  engine: 'folder',
  image: 'paper',
  cpus: 1,
  memoryMiB: 64,
  diskMiB: 64,
}

/** Registers the engine in addition to those of the service. */
export const engines: readonly EngineDefinition[] = [...registry, folder]

/** A folder that several services share like a cluster. */
export class Cluster {
  readonly path: string
  readonly #shapes: string
  readonly #members: FolderMembers

  private constructor(base: string) {
    this.path = join(base, 'cluster')
    this.#shapes = join(base, 'shapes.json')
    this.#members = new FolderMembers(this.path)
  }

  /**
   * Creates a cluster that is down until `begin` is called.
   *
   * @param shapes the differences of each shape from `small`
   */
  static async make(shapes: readonly object[] = [{}]): Promise<Cluster> {
    const base = await temporaryFolder()
    const cluster = new Cluster(base)
    await cluster.offer(shapes)
    return cluster
  }

  /** Replaces the shapes of services that are started from now on. */
  async offer(shapes: readonly object[]): Promise<void> {
    await writeFile(this.#shapes, JSON.stringify({ shapes: shapes.map(each => ({ ...shape, ...each })) }))
  }

  get env() {
    return {
      SANDGLASS_SHAPES: this.#shapes,
      SANDGLASS_TEST_CLUSTER: this.path,
      SANDGLASS_MACHINES: 'none',
    }
  }

  async begin(): Promise<void> {
    await mkdir(this.path)
  }

  /** Breaks the network to a machine. The returned function restores it. */
  async cut(machineId: string): Promise<() => Promise<void>> {
    const file = join(this.path, `${machineId}.cut`)
    await writeFile(file, '')
    return () => rm(file)
  }

  /** Adds members to the cluster, or returns them to it. */
  join(...names: string[]): void {
    for (const name of names) this.#members.set(name, { status: 'online' })
  }

  /** Lets the cluster give a member up, with its machines. `join` returns it. */
  lose(name: string): void {
    this.#members.set(name, { status: 'offline' })
  }

  /** Breaks the network to a member that the cluster still has. `join` restores it. */
  cutOff(name: string): void {
    this.#members.set(name, { status: 'online', isCut: true })
  }

  /** Keeps each snapshot that is taken from now on only on the member of its machine. */
  async keepDisksLocal(): Promise<() => Promise<void>> {
    const file = join(this.path, 'local.disks')
    await writeFile(file, '')
    return () => rm(file)
  }

  /** Lets an operation on snapshots or volumes, or the list of machines, wait or fail until the returned function is called. */
  async hinder(
    how:
      | 'wait.take'
      | 'wait.create'
      | 'wait.volume'
      | 'fail.take'
      | 'fail.remove'
      | 'fail.volume'
      | 'fail.list',
  ): Promise<() => Promise<void>> {
    const file = join(this.path, how)
    await writeFile(file, '')
    return () => rm(file, { force: true })
  }

  /** Lets the engine save memory from now on. */
  async saveMemory(): Promise<void> {
    await writeFile(join(this.path, 'memory'), '')
  }

  /** Starts a service whose only engine is this cluster. */
  async serve(env: Record<string, string> = {}): Promise<TestService> {
    const all = { ...this.env, ...env }
    const setups = setUpEngines(all, readSettings(all, engines), engines)
    return startTestService(all, shapes => openEngines(setups, shapes, () => {}), engines)
  }
}

/** Returns the machine id of a sandbox. */
export async function machineOf({ pool }: TestService, sandboxId: string): Promise<string> {
  const { machine_id: id } = await pool.db
    .selectFrom('sandboxes')
    .select('machine_id')
    .where('id', '=', sandboxId)
    .executeTakeFirstOrThrow()
  return id ?? ''
}

/** Returns the handle of the machine of a sandbox. */
export async function handleOf(service: TestService, sandboxId: string): Promise<MachineHandle> {
  return { engine: 'folder', version: 1, state: await machineOf(service, sandboxId) }
}
