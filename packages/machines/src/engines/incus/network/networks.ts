import { createHash, randomInt } from 'node:crypto'
import { KeyedMutex } from '@sandglass/supervision'
import { z } from 'zod'
import { MachineError } from '../../../contract/errors.ts'
import type { Egress } from '../../../contract/spec.ts'
import { read } from '../client/answers.ts'
import { type IncusClient, IncusError } from '../client/index.ts'
import { addressesOf, type ClusterMember, listMembers } from '../list-members.ts'
import type { InstanceLink } from '../machine/instance-body.ts'
import type { IncusSettings } from '../options.ts'
import { AccessLists } from './access-lists.ts'
import { rulesOf } from './destinations.ts'

const Network = z.object({ config: z.record(z.string(), z.string()), status: z.string().default('') })

/** Networks and access lists belong to the default project, because the project of machines has none of its own. */
const shared = { project: 'default' } as const

/**
 * The networks of machines: one for the internet, and one for each list of destinations, because Incus applies an access list to all
 * of a network. Machines on the same one cannot reach each other, whatever the list says (port isolation).
 */
export class Networks {
  readonly #client: IncusClient
  readonly #settings: IncusSettings
  readonly #mutex = new KeyedMutex()
  readonly #ready = new Map<string, string>()
  readonly #lists: AccessLists

  constructor(client: IncusClient, settings: IncusSettings) {
    this.#client = client
    this.#settings = settings
    this.#lists = new AccessLists(client, shared)
  }

  /** Keeps machines away from members that have joined, or have other addresses now. */
  async follow(members: readonly ClusterMember[]): Promise<void> {
    await this.#lists.protect(addressesOf(members))
  }

  /** A link for a new machine; undefined if it reaches nothing. */
  async linkFor(egress: Egress = 'internet'): Promise<InstanceLink | undefined> {
    if (egress === 'none') return undefined
    const { network, resolvers } = this.#settings
    const name = egress === 'internet' ? network : `sg${digestOf(egress)}`
    const cidr = await this.#mutex.run(name, async () => {
      const known = this.#ready.get(name)
      if (known !== undefined) return known
      const found = await this.#prepare(name, egress)
      this.#ready.set(name, found)
      return found
    })
    const [gateway = '', length = ''] = cidr.split('/')
    const address = someAddress(gateway, Number(length))
    return {
      network: name,
      address,
      cidr: `${address}/${length}`,
      gateway,
      resolvers: egress === 'internet' ? resolvers : [],
    }
  }

  /** Sets the access list of a network, which it creates if it is that of a list. Returns the address of its gateway. */
  async #prepare(name: string, egress: Exclude<Egress, 'none'>): Promise<string> {
    const isMade = egress === 'internet' || (await this.#isMade(name))
    const members = await listMembers(this.#client, shared)
    if (!isMade) assertAllOnline(members)
    const { resolvers } = this.#settings
    await this.#lists.set(name, async () => {
      const now = await listMembers(this.#client, shared)
      return rulesOf(egress, { members: addressesOf(now), resolvers })
    })
    const limits = {
      'security.acls': name,
      'security.acls.default.egress.action': 'drop',
      'security.acls.default.ingress.action': 'drop',
    }
    if (!isMade) await this.#create(name, limits, members)
    const { config } = read(
      Network,
      await this.#client.get(`/networks/${name}`, shared),
      `the network ${name}`,
    )
    if (Object.entries(limits).some(([key, value]) => config[key] !== value))
      await this.#client.send('PATCH', `/networks/${name}`, { config: limits }, shared)
    const cidr = config['ipv4.address'] ?? ''
    if (!/^[\d.]+\/\d+$/.test(cidr))
      throw new MachineError('INVALID', `The network ${name} of the cluster has no IPv4 address.`)
    return cidr
  }

  /** Whether every member has a network. One that is pending was given up halfway. */
  async #isMade(name: string): Promise<boolean> {
    const answer = await this.#client.get(`/networks/${name}`, shared).catch(ignoreMissing)
    return answer !== undefined && read(Network, answer, `the network ${name}`).status !== 'Pending'
  }

  async #create(
    name: string,
    limits: Record<string, string>,
    members: readonly ClusterMember[],
  ): Promise<void> {
    const network = { name, type: 'bridge', description: 'Sandglass' }
    for (const { name: member } of members)
      await this.#client
        .send('POST', `/networks?target=${encodeURIComponent(member)}`, network, shared)
        .catch(error => assertThere(error))
    for (let tries = 0; ; tries++) {
      const config = { ...limits, ...settings, 'ipv4.address': subnetOf(name, tries) }
      try {
        await this.#client.send('POST', '/networks', { ...network, config }, shared)
        return
      } catch (error) {
        if (isThere(error)) return
        if (!isOverlapping(error) || tries === subnetTries) throw error
      }
    }
  }
}

/** Members answer neither DHCP nor names. */
const settings = {
  'ipv4.nat': 'true',
  'ipv4.dhcp': 'false',
  'ipv6.address': 'none',
  'dns.mode': 'none',
}

const subnetTries = 30

/** The address of the gateway of a network for a list: one of the 960 networks of this size above the one for the internet. */
function subnetOf(name: string, tries: number): string {
  const start = createHash('sha256').update(name).digest().readUInt32BE(0)
  const index = 64 + ((start + tries) % 960)
  return `100.${64 + (index >> 4)}.${(index & 15) << 4}.1/20`
}

const isOverlapping = (error: unknown) =>
  error instanceof IncusError && /in use|overlap|conflict/i.test(error.reason) && !isThere(error)

const isThere = (error: unknown) =>
  error instanceof IncusError && /already (exists|defined)|is not in pending state/i.test(error.reason)

/** It may not be there. */
function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof IncusError && error.code === 'NOT_FOUND')) throw error
}

/** Incus makes a network on all members or on none. One that is lost may stay so for long, so nobody waits for it here. */
function assertAllOnline(members: readonly ClusterMember[]): void {
  const missing = members.filter(({ status }) => status !== 'Online' && status !== 'Evacuated')
  if (missing.length === 0) return
  const names = missing.map(({ name, status }) => `${name} is ${status.toLowerCase()}`).join(', ')
  throw new MachineError(
    'UNREACHABLE',
    `A list of destinations that was never used before needs all members of the cluster, but ${names}. Start what is missing, or take it out of the cluster.`,
  )
}

function assertThere(error: unknown): void {
  if (!isThere(error)) throw error
}

const digestOf = (egress: Egress) =>
  createHash('sha256').update(JSON.stringify(egress)).digest('hex').slice(0, 10)

/** An address of the network other than the first, which is the gateway's. Incus refuses one that is in use on the member. */
function someAddress(gateway: string, length: number): string {
  const bytes = gateway.split('.').map(Number)
  const network = bytes.reduce((sum, byte) => sum * 256 + byte, 0) & (length === 0 ? 0 : -1 << (32 - length))
  const address = (network >>> 0) + randomInt(2, 2 ** (32 - length) - 1)
  return [24, 16, 8, 0].map(shift => (address >>> shift) & 255).join('.')
}
