import { setImmediate } from 'node:timers/promises'
import { type AdbSocket, AdbSync } from '@yume-chan/adb'
import { TransformStream } from '@yume-chan/stream-extra'
import type { AdbLink } from '../../adb/adb-link.ts'
import { MachineError } from '../../contract/errors.ts'
import { fileError } from '../posix/file-errors.ts'

/**
 * How much a device may answer in a session. 100,000 files in a folder take less, and the ADB library reads as many
 * bytes as a device announces.
 */
const maxAnswerBytes = 64 * 1024 * 1024

/** The ADB library takes about two milliseconds for the entries of a folder that these are. */
const bytesPerTurn = 2048

/** How long a device may make no progress. */
const stallTimeoutMs = 30_000

/**
 * Runs `work` with a session of ADB's sync service, and always closes it. It fails if the device makes no progress
 * for too long; `work` reports progress by calling `onProgress`.
 */
export async function withSync<T>(
  link: AdbLink,
  path: string,
  work: (sync: AdbSync, onProgress: () => void) => Promise<T>,
): Promise<T> {
  const sync = new AdbSync(link.adb, limited(await link.connect('sync:')))
  const stall = Promise.withResolvers<never>()
  const timer = setTimeout(
    () =>
      stall.reject(
        new MachineError('MACHINE_FAILED', `The device stopped responding while it worked on ${path}.`),
      ),
    stallTimeoutMs,
  )
  try {
    return await Promise.race([work(sync, () => void timer.refresh()), stall.promise])
  } catch (error) {
    if (error instanceof MachineError) throw error
    throw fileError(error instanceof Error ? error.message : String(error), path)
  } finally {
    clearTimeout(timer)
    // `dispose` waits for the device to finish sending, which the caller does not need.
    void sync.dispose().catch(() => {})
  }
}

/** Limits what the device answers, and how much of it is read in one turn of the event loop. */
function limited(socket: AdbSocket): AdbSocket {
  let left = maxAnswerBytes
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      left -= chunk.length
      if (left < 0)
        throw new MachineError('MACHINE_FAILED', `The device answered more than ${maxAnswerBytes} bytes.`)
      for (let at = 0; at < chunk.length; at += bytesPerTurn) {
        if (at > 0) await setImmediate()
        controller.enqueue(chunk.subarray(at, at + bytesPerTurn))
      }
    },
  })
  return {
    service: socket.service,
    closed: socket.closed,
    readable: socket.readable.pipeThrough(limit),
    writable: socket.writable,
    close: () => socket.close(),
  }
}
