import type { Duplex } from 'node:stream'
import { MachineError } from '../../../contract/errors.ts'
import type { Endpoint } from '../../../contract/machine.ts'
import { ask } from '../guest/agent-client.ts'
import type { Guest } from '../guest/guest.ts'
import { ipv4 } from './addresses.ts'

/** An endpoint that is the same in every machine. */
export type GuestEndpoint = Exclude<Endpoint, 'adb'>

/**
 * Connects to a socket in the machine. The screen sockets are visible to the host; other endpoints are dialled from
 * inside.
 */
export async function dial(guest: Guest, endpoint: GuestEndpoint, signal?: AbortSignal): Promise<Duplex> {
  if (endpoint === 'screen:rfb') return await guest.connect('rfb', signal)
  if (endpoint === 'screen:x11') return await guest.connect('x11', signal)
  const target = endpoint.startsWith('unix:') ? { unix: endpoint.slice(5) } : tcpTarget(endpoint)
  try {
    if ('port' in target && guest.dialPort) return await guest.dialPort(target.host, target.port, signal)
    return (await ask(guest, { op: 'dial', ...target }, { signal })).socket
  } catch (cause) {
    if (!(cause instanceof MachineError)) throw cause
    throw new MachineError('REFUSED', `nothing in the machine accepts connections on ${endpoint}`, { cause })
  }
}

/** Parses a TCP endpoint. INVALID unless it has an IPv4 address and a port. */
export function tcpTarget(endpoint: string): { readonly host: string; readonly port: number } {
  const [, host, digits] = /^tcp:([^:]+):([1-9]\d{0,4})$/.exec(endpoint) ?? []
  const port = Number(digits)
  if (host && port <= 65535) {
    const address = host === 'localhost' ? '127.0.0.1' : host
    try {
      ipv4(address)
      return { host: address, port }
    } catch {}
  }
  throw new MachineError(
    'INVALID',
    `${endpoint} is not an endpoint. Write tcp:127.0.0.1:8080 or unix:/run/a.sock.`,
  )
}
