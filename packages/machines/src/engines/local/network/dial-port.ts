import type { Socket } from 'node:net'
import { MachineError } from '../../../contract/errors.ts'
import type { MachinePaths } from '../machine-paths.ts'
import { findInit } from '../oci/init-process.ts'
import type { PortDialer } from './port-dialer.ts'

export interface PortTarget {
  readonly address: string
  readonly port: number
  /** Nothing is read from the connection, so that it can be passed to another process. */
  readonly isUnread: boolean
}

/** Connects to a port of a machine from the host. */
export async function dialPort(
  paths: MachinePaths,
  ports: PortDialer,
  { address, port, isUnread }: PortTarget,
  signal?: AbortSignal,
): Promise<Socket> {
  const init = await findInit(paths)
  if (!init) throw new MachineError('STATE', 'the machine is not running')
  signal?.throwIfAborted()
  const socket = await ports.dial(init, address, port, isUnread)
  if (signal?.aborted) socket.destroy()
  signal?.throwIfAborted()
  return socket
}
