import type { IncomingMessage } from 'node:http'
import { addressIn, daemonPort, type PortAddress, servedPath } from '@sandglass/doors/e2b'
import type { MappingNames } from '@sandglass/mappings'
import type { ApiHosts } from '../../http/front.ts'

/** Which requests are for a port of a sandbox, as clients of E2B name it. */
export class Addresses implements ApiHosts {
  readonly #names: MappingNames

  constructor(names: MappingNames) {
    this.#names = names
  }

  /** Returns the port that a request is for, unless that is the daemon's, which the API serves. */
  portIn(request: IncomingMessage): PortAddress | undefined {
    const address = this.#in(request)
    return address?.port === daemonPort ? undefined : address
  }

  /** Whether a request is for the daemon of a sandbox, whose hosts are below the domain of mappings. */
  claims(request: IncomingMessage): boolean {
    return this.#in(request)?.port === daemonPort
  }

  /** Whether the host of a request is that of a daemon. */
  isDaemonHost(request: IncomingMessage): boolean {
    return this.claims(request) && this.#in(request)?.isHost === true
  }

  /** Changes the path of a client's request to where the service serves it. All other requests are left as they are. */
  leadIn(request: IncomingMessage): void {
    const path = servedPath(request, this.#in(request))
    if (path !== undefined) request.url = path
  }

  #in({ headers }: IncomingMessage): PortAddress | undefined {
    return addressIn(headers, this.#names.domain, host => this.#names.claims(host))
  }
}
