import type { IncomingHttpHeaders } from 'node:http'

/** A port of a sandbox, as a request names it. */
export interface PortAddress {
  readonly sandboxId: string
  readonly port: number
}

const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const label = /^(\d{1,5})-([0-9a-f-]{36})$/

/**
 * Returns the port that a request is for: by the host `{port}-{sandboxId}.{domain}`, or by two headers at the address of the
 * service itself. Returns undefined if the request names none.
 */
export function addressIn(headers: IncomingHttpHeaders, domain: string): PortAddress | undefined {
  return addressInHost(headers.host, domain) ?? addressInHeaders(headers)
}

function addressInHost(host: string | undefined, domain: string): PortAddress | undefined {
  const name = bare(host ?? '')
  const suffix = `.${bare(domain)}`
  if (!name.endsWith(suffix)) return undefined
  const [, port = '', sandboxId = ''] = label.exec(name.slice(0, -suffix.length)) ?? []
  return checked(sandboxId, port)
}

function addressInHeaders(headers: IncomingHttpHeaders): PortAddress | undefined {
  const { 'e2b-sandbox-id': sandboxId, 'e2b-sandbox-port': port } = headers
  return typeof sandboxId === 'string' && typeof port === 'string' ? checked(sandboxId, port) : undefined
}

function checked(sandboxId: string, text: string): PortAddress | undefined {
  const port = Number(text)
  const isPort = /^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535
  return isPort && id.test(sandboxId) ? { sandboxId, port } : undefined
}

/** A host in lower case without its port. */
function bare(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '')
}
