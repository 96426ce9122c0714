import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { MachineError } from '../../contract/errors.ts'

const connectTimeoutMs = 5000
const keepAliveMs = 1000

/** Connects over TCP; `name` appears in errors. Keep-alive makes the kernel notice a host that disappeared. */
export async function dialTcp(
  { host, port }: { readonly host: string; readonly port: number },
  name: string,
): Promise<Socket> {
  const options = { noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs }
  const socket = connect({ host, port, ...options })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectTimeoutMs) })
    return socket
  } catch (cause) {
    socket.destroy()
    const why = cause instanceof Error && cause.name !== 'AbortError' ? cause.message : 'it did not answer'
    throw new MachineError('MACHINE_FAILED', `${name} cannot be reached: ${why}.`, { cause })
  }
}
