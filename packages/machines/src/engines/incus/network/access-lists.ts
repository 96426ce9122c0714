import { isDeepStrictEqual } from 'node:util'
import { KeyedMutex } from '@sandglass/supervision'
import { z } from 'zod'
import { read } from '../client/answers.ts'
import { type IncusClient, IncusError } from '../client/index.ts'
import { type AclRule, drop } from './destinations.ts'

const Rule = z.object({
  action: z.enum(['allow', 'drop']),
  state: z.literal('enabled'),
  destination: z.string(),
  protocol: z.enum(['tcp', 'udp']).or(z.literal('')).default(''),
  destination_port: z.string().default(''),
})
const AccessList = z.object({ name: z.string(), description: z.string(), egress: z.array(Rule) })
type AccessList = z.infer<typeof AccessList>
const Marked = z.object({ name: z.string(), description: z.string() })

/** Tells our access lists apart from those of others. */
const description = 'Sandglass'

/**
 * The access lists of the networks of machines. Each begins with rules that drop what is for a member, so they are written again when a
 * member joins or has another address, whichever process made them.
 */
export class AccessLists {
  readonly #client: IncusClient
  readonly #scope: { readonly project: string }
  /** One change at a time, so that a list that is being made does not miss a member that joins meanwhile. */
  readonly #mutex = new KeyedMutex()
  #protected: string | undefined
  #isProtecting = false

  constructor(client: IncusClient, scope: { readonly project: string }) {
    this.#client = client
    this.#scope = scope
  }

  /** Makes a list, or changes what is different in it: Incus refuses any change while a member is offline. */
  async set(name: string, rules: () => Promise<readonly AclRule[]>): Promise<void> {
    await this.#mutex.run('', async () => {
      const egress = await rules()
      const found = await this.#find(name)
      if (found) await this.#update(found, egress)
      else
        await this.#client
          .send('POST', '/network-acls', bodyOf(name, egress), this.#scope)
          .catch(ignoreExisting)
    })
  }

  /** Protects the members at these addresses, and no others, in every list. What fails is repeated by a later call. */
  async protect(addresses: readonly string[]): Promise<void> {
    const wanted = addresses.toSorted().join(' ')
    if (wanted === this.#protected || this.#isProtecting) return
    this.#isProtecting = true
    try {
      await this.#mutex.run('', () => this.#protect(addresses))
      this.#protected = wanted
    } finally {
      this.#isProtecting = false
    }
  }

  async #protect(addresses: readonly string[]): Promise<void> {
    const path = '/network-acls?recursion=1'
    const all = read(z.array(Marked), await this.#client.get(path, this.#scope), 'its access lists')
    for (const { name } of all.filter(list => list.description === description)) {
      const found = await this.#find(name)
      const others = found?.egress.filter(({ action }) => action !== 'drop') ?? []
      if (found) await this.#update(found, [...addresses.map(drop), ...others])
    }
  }

  async #update({ name, egress }: AccessList, wanted: readonly AclRule[]): Promise<void> {
    if (isDeepStrictEqual(keysOf(egress), keysOf(wanted))) return
    await this.#client.send('PUT', `/network-acls/${name}`, bodyOf(name, wanted), this.#scope)
  }

  async #find(name: string): Promise<AccessList | undefined> {
    try {
      return read(AccessList, await this.#client.get(`/network-acls/${name}`, this.#scope), 'an access list')
    } catch (error) {
      if (error instanceof IncusError && error.code === 'NOT_FOUND') return undefined
      throw error
    }
  }
}

/** Another process has just made it. */
function ignoreExisting(error: unknown): void {
  if (!(error instanceof IncusError && error.code === 'EXISTS')) throw error
}

const bodyOf = (name: string, egress: readonly AclRule[]) => ({
  name,
  description,
  ingress: [],
  egress,
  config: {},
})

/** The rules in an order of their own: Incus applies those that drop first, wherever they are. */
const keysOf = (rules: readonly AclRule[]) =>
  rules
    .map(({ action, destination, protocol = '', destination_port = '' }) =>
      [action, destination, protocol, destination_port].join(' '),
    )
    .sort()
