import type { CallOptions } from '../call-options.ts'
import { OpenPort } from './open-port.ts'
import type { Target } from './target.ts'
import { openTunnel, type Tunnel, type TunnelOptions } from './tunnel.ts'

/** The ports of a sandbox. */
export class Ports {
  readonly #target: Target

  constructor(target: Target) {
    this.#target = target
  }

  /**
   * Gives a port an address, for HTTP and WebSockets. It lasts as long as the sandbox, or until it is closed.
   *
   * @example
   * const port = await box.ports.open(3000)
   * const response = await port.fetch('/health')
   * console.log(port.link) // for people
   */
  async open(port: number, options: CallOptions = {}): Promise<OpenPort> {
    const { client, sandboxId } = this.#target
    const body = { targetEndpoint: `127.0.0.1:${port}` }
    const mapping = await client.createHttpMapping({ sandboxId, body }, options)
    return new OpenPort(this.#target, mapping, (await client.credentials()).url)
  }

  /**
   * Lists the ports that have an address.
   *
   * @example
   * for (const { port, url } of await box.ports.list()) console.log(port, url)
   */
  async list(options: CallOptions = {}): Promise<readonly OpenPort[]> {
    const { client, sandboxId } = this.#target
    const mappings = await client.listHttpMappings({ sandboxId }, options)
    const { url } = await client.credentials()
    return mappings.map(mapping => new OpenPort(this.#target, mapping, url))
  }

  /**
   * Connects to a TCP port, whatever protocol it speaks, through a WebSocket. `adb` is the adbd of a phone simulator.
   *
   * @example
   * const { readable, writable } = await box.ports.connect(5432)
   */
  connect(port: number | 'adb', options: TunnelOptions = {}): Promise<Tunnel> {
    return openTunnel(this.#target, port, options)
  }
}
