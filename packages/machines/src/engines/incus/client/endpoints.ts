import { X509Certificate } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import type { IncusAddress } from './address.ts'

/** One way to the cluster: a unix socket, or one member's address. */
export interface Endpoint {
  /** For messages. */
  readonly name: string
  readonly url: URL
  readonly agent: http.Agent
  readonly request: typeof http.request
}

/** The ways to the cluster. The one that worked last is first. */
export class Endpoints {
  #endpoints: readonly Endpoint[]
  readonly #connect?: (url: string) => Endpoint
  /** The ways to members at addresses that were not given, by URL. */
  readonly #others = new Map<string, Endpoint>()

  constructor(address: IncusAddress) {
    if ('socket' in address) {
      this.#endpoints = [overSocket(address.socket)]
      return
    }
    this.#connect = overTls(address)
    this.#endpoints = address.urls.map(this.#connect)
  }

  get all(): readonly Endpoint[] {
    return this.#endpoints
  }

  /** The way to the member at this URL; undefined if nothing but a socket is known. */
  at(text: string): Endpoint | undefined {
    const { href, host } = new URL(text)
    const known = this.#endpoints.find(({ url }) => url.host === host) ?? this.#others.get(href)
    if (known || !this.#connect) return known
    const other = this.#connect(text)
    this.#others.set(href, other)
    return other
  }

  /** Tries this one last from now on, until others fail too. */
  demote(endpoint: Endpoint): void {
    if (this.#endpoints[0] !== endpoint) return
    this.#endpoints = [...this.#endpoints.slice(1), endpoint]
  }

  /** Tries this one first from now on. */
  prefer(endpoint: Endpoint): void {
    if (this.#endpoints[0] === endpoint) return
    this.#endpoints = [endpoint, ...this.#endpoints.filter(other => other !== endpoint)]
  }

  close(): void {
    for (const { agent } of [...this.#endpoints, ...this.#others.values()]) agent.destroy()
  }
}

function overSocket(socketPath: string): Endpoint {
  // The agent passes its options on to net.connect, also where they are not in its type.
  const options: http.AgentOptions & { socketPath: string } = { keepAlive: true, socketPath }
  return {
    name: socketPath,
    url: new URL('http://incus'),
    agent: new http.Agent(options),
    request: http.request,
  }
}

function overTls({
  certificate,
  key,
  serverCertificate,
}: Exclude<IncusAddress, { socket: string }>): (url: string) => Endpoint {
  const pinned = new X509Certificate(serverCertificate).fingerprint256
  const agent = () =>
    new https.Agent({
      keepAlive: true,
      cert: certificate,
      key,
      ca: serverCertificate,
      allowPartialTrustChain: true,
      minVersion: 'TLSv1.3',
      // The certificate itself is known, so the names in it do not matter.
      checkServerIdentity: (_host, { fingerprint256 }) =>
        fingerprint256 === pinned ? undefined : new Error('its certificate is not the one of the cluster'),
    })
  return text => {
    const url = new URL(text)
    return { name: url.host, url, agent: agent(), request: https.request }
  }
}
