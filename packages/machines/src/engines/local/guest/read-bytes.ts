import { MachineError } from '../../../contract/errors.ts'
import type { GuestStream } from './guest.ts'
import { asConnectionError } from './read-line.ts'

/** Reads exactly so many bytes, and leaves the rest in the stream. */
export async function readBytes(socket: GuestStream, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length)
  for (let at = 0; at < length; ) {
    const chunk: Buffer | null = socket.read()
    if (chunk === null) {
      await readable(socket)
      continue
    }
    const taken = chunk.copy(bytes, at)
    if (taken < chunk.length) socket.unshift(chunk.subarray(taken))
    at += taken
  }
  return bytes
}

function readable(socket: GuestStream): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () =>
      void socket.off('readable', come).off('end', ended).off('error', broke).off('close', ended)
    const come = () => {
      stop()
      resolve()
    }
    const broke = (error: Error) => {
      stop()
      reject(asConnectionError(error))
    }
    const ended = () => broke(new MachineError('STATE', 'the machine closed the connection'))
    socket.on('readable', come).on('end', ended).on('error', broke).on('close', ended)
    if (socket.closed || socket.readableEnded) ended()
  })
}
