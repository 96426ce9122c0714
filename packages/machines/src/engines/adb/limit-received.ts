import type { Socket } from 'node:net'
import { MachineError } from '../../contract/errors.ts'

/** Much more than a device has to say to the engine itself: whether it has booted, and that it reboots. */
const maxBytes = 4 * 1024 * 1024

/** Disconnects a device that sends more than the engine itself ever asks of one. */
export function limitReceived(socket: Socket): Socket {
  let left = maxBytes
  // A socket that was paused does not start to flow because of a listener, so that nothing is missed.
  return socket.pause().on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0)
      socket.destroy(
        new MachineError(
          'MACHINE_FAILED',
          `The device sent more than ${maxBytes} bytes, which nobody asked for.`,
        ),
      )
  })
}
