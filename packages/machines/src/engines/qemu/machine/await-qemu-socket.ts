import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../../../contract/errors.ts'
import { connectIn } from '../../local/network/unix-socket.ts'

const tryEveryMs = 5

/** Connects to a socket that QEMU makes. It polls, because the name appears before QEMU listens, and nothing tells when it does. */
export async function awaitQemuSocket(folder: string, name: string, signal: AbortSignal): Promise<Socket> {
  for (;;) {
    try {
      return await connectIn(folder, name, signal)
    } catch (error) {
      if (!(error instanceof MachineError && error.code === 'REFUSED')) throw error
    }
    await pause(tryEveryMs, undefined, { signal })
  }
}
