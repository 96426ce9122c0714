import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { MachineError } from '../../../contract/errors.ts'
import type { Endpoint } from '../../../contract/machine.ts'
import { ask } from '../guest/agent-client.ts'
import type { Guest } from '../guest/guest.ts'
import { findInit } from '../oci/init-process.ts'
import { ipv4 } from './addresses.ts'
import type { PortDialer } from './port-dialer.ts'
import { connectIn } from './unix-socket.ts'

/**
 * Connects to a socket in the machine. The screen sockets are visible to the host; other endpoints are dialled from
 * inside.
 */
export async function dial(guest: Guest, endpoint: Endpoint, signal?: AbortSignal): Promise<Duplex> {
  await guest.assertAwake()
  const { paths } = guest
  if (endpoint === 'screen:rfb') return await connectIn(paths.sockets, 'rfb', signal)
  if (endpoint === 'screen:x11') return await connectIn(paths.x11, 'X0', signal)
  const target = endpoint.startsWith('unix:') ? { unix: endpoint.slice(5) } : tcpTarget(endpoint)
  try {
    if ('port' in target && guest.ports) return await dialPort(guest, guest.ports, target, signal)
    return (await ask(guest, { op: 'dial', ...target }, { signal })).socket
  } catch (cause) {
    if (!(cause instanceof MachineError)) throw cause
    throw new MachineError('REFUSED', `nothing in the machine accepts connections on ${endpoint}`, { cause })
  }
}

async function dialPort(
  { paths }: Guest,
  ports: PortDialer,
  { host, port }: { readonly host: string; readonly port: number },
  signal?: AbortSignal,
): Promise<Socket> {
  const init = await findInit(paths)
  if (!init) throw new MachineError('STATE', 'the machine is not running')
  signal?.throwIfAborted()
  const socket = await ports.dial(init, host, port)
  if (signal?.aborted) socket.destroy()
  signal?.throwIfAborted()
  return socket
}

function tcpTarget(endpoint: string) {
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
