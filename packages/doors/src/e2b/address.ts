import type { IncomingHttpHeaders } from 'node:http'

/** A port of a sandbox, as a request names it. */
export interface PortAddress {
  readonly sandboxId: string
  readonly port: number
  /** Whether the host of the request is that of the port. Otherwise two headers name it, at the address of the service itself. */
  readonly isHost: boolean
}

/** The headers that name a port, which clients also send where its host names it. */
export const addressHeaders = { sandboxId: 'e2b-sandbox-id', port: 'e2b-sandbox-port' } as const

const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const label = /^(\d{1,5})-([0-9a-f-]{36})$/

/**
 * Returns the port that a request is for: by the host `{port}-{sandboxId}.{domain}`, or by two headers at a host that is not
 * taken by a mapping. Returns undefined if the request names none.
 */
export function addressIn(
  headers: IncomingHttpHeaders,
  domain: string,
  isMapping: (host: string | undefined) => boolean,
): PortAddress | undefined {
  const named = addressInHost(headers.host, domain)
  if (named || isMapping(headers.host)) return named
  return addressInHeaders(headers)
}

function addressInHost(host: string | undefined, domain: string): PortAddress | undefined {
  const name = bare(host ?? '')
  const suffix = `.${bare(domain)}`
  if (!name.endsWith(suffix)) return undefined
  const [, port = '', sandboxId = ''] = label.exec(name.slice(0, -suffix.length)) ?? []
  return checked(sandboxId, port, true)
}

function addressInHeaders(headers: IncomingHttpHeaders): PortAddress | undefined {
  const { [addressHeaders.sandboxId]: sandboxId, [addressHeaders.port]: port } = headers
  return typeof sandboxId === 'string' && typeof port === 'string'
    ? checked(sandboxId, port, false)
    : undefined
}

function checked(sandboxId: string, text: string, isHost: boolean): PortAddress | undefined {
  const port = Number(text)
  const isPort = /^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535
  return isPort && id.test(sandboxId) ? { sandboxId, port, isHost } : undefined
}

/** A host in lower case without its port and trailing dot. */
function bare(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}
