import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { MachineError } from '../../contract/errors.ts'

const dialMs = 5000
const keepAliveMs = 1000

/** `host:port` in its parts; undefined where it is none. */
export function parseAddress(address: string): { readonly host: string; readonly port: number } | undefined {
  const [, bracketed, plain, digits] =
    /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):([1-9]\d{0,4})$/.exec(address) ?? []
  const [host, port] = [bracketed ?? plain, Number(digits)]
  return host !== undefined && port <= 65535 ? { host, port } : undefined
}

/** Connects to a device's adbd. The kernel notices when a host is gone without a word. */
export async function dialDevice(address: string): Promise<Socket> {
  const target = parseAddress(address)
  if (!target) throw new MachineError('INVALID', `${address} is no address of a device: write host:port`)
  const socket = connect({ ...target, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(dialMs) })
    return socket
  } catch (cause) {
    socket.destroy()
    const why = cause instanceof Error && cause.name !== 'AbortError' ? cause.message : 'it did not answer'
    throw new MachineError('MACHINE_FAILED', `The device ${address} cannot be reached: ${why}.`, { cause })
  }
}
