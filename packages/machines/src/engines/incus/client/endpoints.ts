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

  constructor(address: IncusAddress) {
    this.#endpoints = 'socket' in address ? [overSocket(address.socket)] : overTls(address)
  }

  get all(): readonly Endpoint[] {
    return this.#endpoints
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
    for (const { agent } of this.#endpoints) agent.destroy()
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
  urls,
  certificate,
  key,
  serverCertificate,
}: Exclude<IncusAddress, { socket: string }>): Endpoint[] {
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
  return urls.map(text => {
    const url = new URL(text)
    return { name: url.host, url, agent: agent(), request: https.request }
  })
}
