import type { Socket } from 'node:net'
import { socketPair } from '@sandglass/host'

/** Two connected unix sockets that can be read, as between two processes. */
export async function readablePair(): Promise<readonly [Socket, Socket]> {
  const [one, other] = await socketPair()
  return [one.resume(), other.resume()]
}
