import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildImage } from '../../../images/build-image.ts'
import { waitFor } from '../../../testing/index.ts'
import { debianPackages, installMissing } from '../../local/host/debian-packages.ts'
import { makeClusterGroup, removeGroups } from './cgroup-trees.ts'
import { formCluster } from './form-cluster.ts'
import { TestMember } from './member.ts'
import { type CutDirection, type NetworkNamespace, TestNetwork } from './network.ts'
import { at } from './request.ts'
import { sweep } from './sweep.ts'

/** The image of the members is built once for all test runs. */
const imagesDir =
  process.env['SANDGLASS_TEST_IMAGES'] ?? join(import.meta.dirname, '../../../../../../data/images')

const prefix = 'sandglass-cluster-'

export interface TestClusterOptions {
  readonly members?: number
  /** Seconds without a heartbeat after which Incus reports a member as offline. It accepts 11 or more. */
  readonly offlineThreshold?: number
  /** Whether to add a namespace with the addresses of `world` in engines/local/test-world.ts. */
  readonly hasWorld?: boolean
  /** The size of each member's disk. The file is sparse. */
  readonly diskMiB?: number
  /** Whether the members form a cluster. If not, each is a server of its own. */
  readonly isFormed?: boolean
}

/**
 * A real Incus cluster. Every member has namespaces of its own and reaches the others over a switch that has no link to
 * the host. All of it ends with the test process.
 */
export class TestCluster {
  /** The name of its cgroups, and of its folder for temporary files. */
  readonly name: string
  readonly folder: string
  readonly members: readonly TestMember[]
  readonly #network: TestNetwork

  private constructor(name: string, image: string, o: Required<TestClusterOptions>) {
    this.name = name
    this.folder = join(tmpdir(), name)
    this.#network = new TestNetwork(this.folder)
    const shared = { cluster: name, folder: this.folder, image, network: this.#network, diskMiB: o.diskMiB }
    this.members = Array.from({ length: o.members }, (_, index) => new TestMember(index + 1, shared))
  }

  static async start(o: TestClusterOptions = {}): Promise<TestCluster> {
    const options = {
      members: 3,
      offlineThreshold: 11,
      hasWorld: false,
      diskMiB: 16_384,
      isFormed: true,
      ...o,
    }
    await installMissing(debianPackages.filter(({ isOptional }) => !isOptional))
    const image = join(imagesDir, await buildImage('cluster-member', { imagesDir }))
    await sweep(prefix)
    // The name tells which process made it, so that another one can remove what a killed process left.
    const name = `${prefix}${process.pid}-${randomBytes(4).toString('hex')}`
    const cluster = new TestCluster(name, image, options)
    try {
      await cluster.#start(options)
      return cluster
    } catch (error) {
      await cluster.dispose()
      throw error
    }
  }

  async #start({ offlineThreshold, hasWorld, isFormed }: Required<TestClusterOptions>): Promise<void> {
    await mkdir(this.folder, { mode: 0o700 })
    await makeClusterGroup(this.name)
    await this.#network.start(hasWorld)
    // Wait for all, so that none is still starting when one has failed and everything is removed.
    const booted = await Promise.allSettled(this.members.map(member => member.boot()))
    for (const result of booted) if (result.status === 'rejected') throw result.reason
    if (!isFormed) return
    await formCluster(this.members, offlineThreshold)
    await waitFor(async () => (await this.statuses()).values().every(status => status === 'Online'))
  }

  /** A namespace on the switch from which TLS clients reach the members. */
  get client(): NetworkNamespace {
    return this.#network.client
  }

  member(name: string): TestMember {
    const found = this.members.find(member => member.name === name)
    if (!found) throw new Error(`the cluster has no member ${name}`)
    return found
  }

  /** Cuts a member off from the rest: what arrives (`in`), what it sends (`out`), or both. Its socket remains usable. */
  cut(member: TestMember, direction: CutDirection = 'both'): Promise<void> {
    return this.#network.cut(member.name, direction)
  }

  heal(member: TestMember): Promise<void> {
    return this.#network.heal(member.name)
  }

  /** Whether a member can take part in the cluster: it is up with its incusd, and not cut off. */
  isThere(member: TestMember): boolean {
    return member.hasDaemon && !this.#network.isCut(member.name)
  }

  /** Delays everything that a member sends and receives; 0 ends it. */
  slow(member: TestMember, delayMs: number): Promise<void> {
    return this.#network.slow(member.name, delayMs)
  }

  /** The status of every member, as one of them sees it: `Online`, `Offline`, `Evacuated`. */
  async statuses(asked?: TestMember): Promise<Map<string, string>> {
    const seen = await this.#seen(asked)
    return new Map(seen.map(member => [String(at(member, 'server_name')), String(at(member, 'status'))]))
  }

  /** The member that leads the database. */
  async leader(): Promise<TestMember> {
    for (const member of await this.#seen()) {
      const roles = at(member, 'roles')
      if (Array.isArray(roles) && roles.includes('database-leader'))
        return this.member(String(at(member, 'server_name')))
    }
    throw new Error('the cluster has no database leader at the moment')
  }

  /** Asks the given member, or the first that answers, because a dead one may hang. */
  async #seen(asked?: TestMember): Promise<unknown[]> {
    const candidates = asked ? [asked] : this.members.filter(({ isUp }) => isUp)
    return await Promise.any(
      candidates.map(async member => {
        const found = await member.request('GET', '/1.0/cluster/members?recursion=1', undefined, 20_000)
        return Array.isArray(found) ? found : []
      }),
    )
  }

  /** Removes everything: processes, namespaces, mounts, loop devices, cgroups and files. */
  async dispose(): Promise<void> {
    await Promise.all(this.members.map(member => member.kill()))
    await this.#network.dispose()
    await removeGroups(this.name)
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
