import { readFile } from 'node:fs/promises'
import { BlockList, isIPv4 } from 'node:net'
import { join } from 'node:path'
import { KeyedMutex, Supervised } from '@sandglass/supervision'
import { MachineError } from '../../../../contract/errors.ts'
import type { Egress } from '../../../../contract/spec.ts'
import type { Settings } from '../../options.ts'
import { addressOf } from '../addresses.ts'
import { addressSetOf, hostsOf } from '../egress-rules.ts'
import { nft } from '../namespaces.ts'
import { resolversOf } from '../resolvers.ts'
import { routerName, routerPlace } from '../router.ts'
import type { Found, NamedMachine } from './messages.ts'
import { NameServerProcess } from './name-server-process.ts'

/** An address stays open for this long after it was found or used last, even if its record says less. */
export const minOpenSeconds = 600
const maxOpenSeconds = 86_400

/** Resolves names for machines whose egress lists have some, and opens the addresses of these names for them. */
export class MachineNames {
  readonly #settings: Settings
  /** By address. */
  readonly #machines = new Map<string, NamedMachine & { readonly index: number }>()
  readonly #servers: Supervised<NameServerProcess>
  readonly #mutex = new KeyedMutex()
  #never: Promise<BlockList> | undefined
  #release: (() => void) | undefined

  constructor(settings: Settings) {
    this.#settings = settings
    this.#servers = new Supervised({
      open: () => this.#start(),
      ended: server => server.ended,
      close: server => server.close(),
      backoff: { firstMs: 50, maxMs: 2000 },
    })
  }

  /** Resolves names for a machine from now on. Resolves when the name server runs, or could not be started. */
  async add(index: number, egress: Egress | undefined): Promise<void> {
    const hosts = hostsOf(egress)
    if (hosts.length === 0) return
    const address = addressOf(index)
    this.#machines.set(address, { address, index, hosts })
    // The process is kept from now on, because another machine with names is likely to follow.
    this.#release ??= this.#servers.hold()
    this.#announce()
    await this.#servers.get().catch(() => {})
  }

  remove(index: number): void {
    if (this.#machines.delete(addressOf(index))) this.#announce()
  }

  close(): void {
    this.#release?.()
    this.#servers.close(new MachineError('STATE', 'the engine was closed'))
  }

  async #start(): Promise<NameServerProcess> {
    const server = await NameServerProcess.start({
      netns: routerName(this.#settings),
      resolvers: await resolversOf(this.#settings),
      open: (machine, found) => this.#open(machine, found).catch(() => false),
    })
    server.serve([...this.#machines.values()])
    return server
  }

  #announce(): void {
    this.#servers.current?.serve([...this.#machines.values()])
  }

  /**
   * The name server processes what strangers send, so what it asks for is checked: only public addresses, and only for
   * rules that have a host.
   */
  async #open(address: string, { rules, addresses, seconds }: Found): Promise<boolean> {
    const machine = this.#machines.get(address)
    this.#never ??= neverReached()
    const never = await this.#never
    const known = new Set(machine?.hosts.map(({ rule }) => rule))
    const isAllowed =
      rules.every(rule => known.has(rule)) && addresses.every(one => isIPv4(one) && !never.check(one))
    if (!machine || !isAllowed) return false
    const timeout = Math.min(maxOpenSeconds, Math.max(minOpenSeconds, Math.ceil(Number(seconds))))
    const lines = rules.flatMap(rule =>
      addresses.flatMap(one => openLines(addressSetOf(machine.index, rule), one, timeout)),
    )
    await this.#mutex.run(address, () => nft(routerPlace(this.#settings), lines.join('')))
    return true
  }
}

/** An element that exists is replaced, because adding it again would not renew its timeout. */
function openLines(set: string, address: string, seconds: number): string[] {
  const element = `element inet sandglass ${set} { ${address} timeout ${seconds}s }\n`
  return [`add ${element}`, `delete element inet sandglass ${set} { ${address} }\n`, `add ${element}`]
}

/** The networks that sandboxes never reach, as the rules of the router list them. */
async function neverReached(): Promise<BlockList> {
  const rules = await readFile(join(import.meta.dirname, '../router.nft'), 'utf8')
  const list = new BlockList()
  for (const [, network = '', bits] of /set never \{[^}]*\}/.exec(rules)?.[0].matchAll(/([\d.]+)\/(\d+)/g) ??
    [])
    list.addSubnet(network, Number(bits))
  return list
}
