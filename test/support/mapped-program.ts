import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'

/** Lets a server stand for the program in a sandbox, and returns what dials it. */
export async function dialerOf(program: Server): Promise<() => Promise<Socket>> {
  await once(program.listen(0, '127.0.0.1'), 'listening')
  cleanup.defer(() => {
    program.close()
    program.closeAllConnections()
  })
  return async () => {
    const socket = connect((program.address() as AddressInfo).port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }
}
