import type { Duplex } from 'node:stream'
import type { AdbLink } from '../../adb/adb-link.ts'
import { socketStream } from '../../adb/socket-stream.ts'
import { MachineError } from '../../contract/errors.ts'
import type { Endpoint } from '../../contract/machine.ts'

/** Connects to a socket on the device. ADB has no half-closed connections: closing one direction closes both. */
export async function dial(link: AdbLink, endpoint: Endpoint, signal?: AbortSignal): Promise<Duplex> {
  signal?.throwIfAborted()
  const service = serviceOf(endpoint)
  const socket = await link.connect(service).catch(cause => {
    throw new MachineError('REFUSED', `nothing on the phone accepts connections on ${endpoint}`, { cause })
  })
  if (signal?.aborted) await socket.close()
  signal?.throwIfAborted()
  return socketStream(socket).on('error', () => {})
}

function serviceOf(endpoint: string): string {
  // The key of the service, or of an adb server that has other phones too, would speak for the tenant: it could be used to switch
  // the phone to another port or to root, which outlasts the tenant.
  if (endpoint === 'adb')
    throw new MachineError('INVALID', 'The adbd of a phone of a pool is used by the service alone.')
  const [, path] = /^unix:([^\0]+)$/.exec(endpoint) ?? []
  if (path !== undefined) return `localfilesystem:${path}`
  const [, digits] = /^tcp:(?:127\.0\.0\.1|localhost):([1-9]\d{0,4})$/.exec(endpoint) ?? []
  if (digits !== undefined && Number(digits) <= 65535) return `tcp:${digits}`
  throw new MachineError(
    'INVALID',
    `${endpoint} is not an endpoint of a phone. Write tcp:127.0.0.1:8080 or unix:/data/local/tmp/a.sock.`,
  )
}
