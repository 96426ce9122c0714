import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { MachineError } from '../../contract/errors.ts'

const dialMs = 5000
const keepAliveMs = 1000

/** Connects to what is named in errors. The kernel notices when a host is gone without a word. */
export async function dialTcp(
  { host, port }: { readonly host: string; readonly port: number },
  name: string,
): Promise<Socket> {
  const options = { noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs }
  const socket = connect({ host, port, ...options })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(dialMs) })
    return socket
  } catch (cause) {
    socket.destroy()
    const why = cause instanceof Error && cause.name !== 'AbortError' ? cause.message : 'it did not answer'
    throw new MachineError('MACHINE_FAILED', `${name} cannot be reached: ${why}.`, { cause })
  }
}
