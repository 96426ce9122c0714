import { join } from 'node:path'
import { ip, nft, runIn } from '../../local/network/namespaces.ts'
import { world, worldServer } from '../../local/test-world.ts'
import { HeldProcess } from './held-process.ts'

/** The addresses that a cluster uses, in its own namespaces only, so that clusters can run side by side. */
export const clusterAddresses = {
  member: (number: number) => `198.18.0.${number}`,
  client: '198.18.0.250',
  world: '198.18.0.253',
} as const

export type CutDirection = 'both' | 'in' | 'out'

/** A network namespace that a process holds. Enter it with `nsenter --net=NETNS`. */
export interface NetworkNamespace {
  readonly pid: number
  readonly netns: string
  readonly address: string
}

const holder = ['--net', 'sh', '-c', 'echo up; exec cat']

/**
 * A switch that connects the members of a cluster, its clients and, if wanted, a small outside world. It has no link to
 * the host. Cables are cut and slowed down at the switch, so a member that is booted again finds them as they were.
 */
export class TestNetwork {
  readonly #folder: string
  readonly #processes: HeldProcess[] = []
  readonly #slowed = new Map<string, HeldProcess>()
  readonly #cuts = new Map<string, CutDirection>()
  #switch = 0
  #hasWorld = false
  client: NetworkNamespace = { pid: 0, netns: '', address: clusterAddresses.client }

  constructor(folder: string) {
    this.#folder = folder
  }

  async start(hasWorld: boolean): Promise<void> {
    this.#hasWorld = hasWorld
    this.#switch = await this.#hold('unshare', holder)
    await ip({ pid: this.#switch }, ['link add br0 type bridge', 'link set br0 up'])
    await nft({ pid: this.#switch }, 'add table bridge cuts')
    const client = await this.#hold('unshare', holder)
    await this.plug('client', client, clusterAddresses.client)
    this.client = { pid: client, netns: `/proc/${client}/ns/net`, address: clusterAddresses.client }
    if (hasWorld) await this.#startWorld()
  }

  async #startWorld(): Promise<void> {
    const pid = await this.#hold('unshare', holder)
    await this.plug('world', pid, clusterAddresses.world, [])
    // There is no route back to machines, so an answer arrives only if the member translates addresses.
    await ip(
      { pid },
      [world.web, world.privateWeb, world.metadata, world.resolver].map(
        address => `addr add ${address}/32 dev lo`,
      ),
    )
    const node = ['-e', `${worldServer}\nprocess.stdin.on('end', () => process.exit()).resume()`, 'names']
    await this.#hold('nsenter', [`--net=/proc/${pid}/ns/net`, process.execPath, ...node])
  }

  async #hold(command: string, args: readonly string[]): Promise<number> {
    const held = new HeldProcess(command, args, join(this.#folder, 'network.log'))
    this.#processes.push(held)
    await held.line()
    return held.pid
  }

  /** Connects the namespace of a process to the switch. `name` is the port, and the other end is `eth0`. */
  async plug(name: string, pid: number, address: string, routes = this.#worldRoutes()): Promise<void> {
    await ip({ pid: this.#switch }, [
      `link add ${name} type veth peer name eth0 netns ${pid}`,
      `link set ${name} master br0 up`,
    ])
    await ip({ pid }, [
      'link set lo up',
      `addr add ${address}/24 dev eth0`,
      'link set eth0 up',
      ...routes.map(route => `route add ${route} via ${clusterAddresses.world}`),
    ])
  }

  #worldRoutes(): string[] {
    if (!this.#hasWorld) return []
    return [world.web, world.privateWeb, world.metadata, world.resolver].map(address => `${address}/32`)
  }

  /** Removes a port at once. The kernel would do it a while after the namespace at the other end has ended. */
  async unplug(name: string): Promise<void> {
    await this.slow(name, 0)
    await runIn({ pid: this.#switch }, 'ip', ['link', 'del', name]).catch(() => {})
  }

  /** Drops what arrives at a port (`in`), what comes from it (`out`), or both. */
  async cut(name: string, direction: CutDirection): Promise<void> {
    this.#cuts.set(name, direction)
    await this.#applyCuts()
  }

  async heal(name: string): Promise<void> {
    this.#cuts.delete(name)
    await this.#applyCuts()
  }

  isCut(name: string): boolean {
    return this.#cuts.has(name)
  }

  async #applyCuts(): Promise<void> {
    const rules = [...this.#cuts].flatMap(([name, direction]) => [
      ...(direction === 'in' ? [] : [`iifname { "${name}", "${name}-slow" } drop`]),
      ...(direction === 'out' ? [] : [`oifname { "${name}", "${name}-slow" } drop`]),
    ])
    const chain = `chain forward { type filter hook forward priority 0; ${rules.join('; ')}${rules.length > 0 ? ';' : ''} }`
    await nft({ pid: this.#switch }, `delete table bridge cuts\ntable bridge cuts {\n${chain}\n}\n`)
  }

  /** Delays every frame from and to a port, or stops doing so with 0. */
  async slow(name: string, delayMs: number): Promise<void> {
    const place = { pid: this.#switch }
    const relay = this.#slowed.get(name)
    if (relay) {
      this.#slowed.delete(name)
      await relay.kill()
      await ip(place, [`link del ${name}-slow`, `link set ${name} master br0`])
    }
    if (delayMs <= 0) return
    // The relay stands between the port and the bridge, because not every kernel has netem.
    await ip(place, [
      `link set ${name} nomaster`,
      `link add ${name}-slow type veth peer name ${name}-relay`,
      `link set ${name}-relay up`,
      `link set ${name}-slow master br0 up`,
    ])
    const indexes = await Promise.all([name, `${name}-relay`].map(link => this.#indexOf(link)))
    const script = [join(import.meta.dirname, 'slow-link.pl'), ...indexes, String(delayMs)]
    const log = join(this.#folder, 'network.log')
    const held = new HeldProcess('nsenter', [`--net=/proc/${this.#switch}/ns/net`, 'perl', ...script], log)
    this.#slowed.set(name, held)
    await held.line()
  }

  async #indexOf(link: string): Promise<string> {
    const shown = await runIn({ pid: this.#switch }, 'ip', ['-oneline', 'link', 'show', 'dev', link])
    return shown.split(':', 1)[0] ?? ''
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#slowed.values(), ...this.#processes].map(held => held.kill()))
  }
}
