import { constants, watch } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createConnection, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { MachineError } from '../../../contract/errors.ts'

/** Linux's O_PATH, the same on every architecture that Node runs on. */
const O_PATH = 0o10000000
const queueTimeoutMs = 10_000

/**
 * Connects to a socket in a folder that a guest can write to. The last path component is not followed if it is a
 * symlink, and the connection goes to the inode that was checked, so a guest cannot redirect it to a socket of the
 * host.
 *
 * The connection has an error listener, because a machine that ends must not crash the service; callers see that the
 * connection has closed. Nothing is read from an unread one, so that it can be passed to another process.
 */
export async function connectIn(
  folder: string,
  name: string,
  signal?: AbortSignal,
  isUnread = false,
): Promise<Socket> {
  const inode = await openSocket(folder, name)
  let socket: Socket
  try {
    socket = await connectWithRetry(`/proc/self/fd/${inode.fd}`, isUnread, signal)
    socket.on('error', () => {})
  } catch (cause) {
    signal?.throwIfAborted()
    throw new MachineError('REFUSED', `the machine's ${name} socket does not accept connections`, { cause })
  } finally {
    await inode.close()
  }
  if (!socket.destroyed) return socket
  signal?.throwIfAborted()
  throw new MachineError('REFUSED', `the machine closed its ${name} socket`, { cause: socket.errored })
}

async function openSocket(folder: string, name: string): Promise<FileHandle> {
  let inode: FileHandle
  try {
    inode = await open(join(folder, name), O_PATH | constants.O_NOFOLLOW)
  } catch (cause) {
    throw new MachineError('REFUSED', `the machine's ${name} socket does not exist`, { cause })
  }
  const stats = await inode.stat().catch(() => undefined)
  if (stats?.isSocket()) return inode
  await inode.close()
  throw new MachineError('REFUSED', `the machine's ${name} is not a socket`)
}

/** Retries while the queue of the listener is full (EAGAIN), because no event reports when it has space again. */
async function connectWithRetry(path: string, isUnread: boolean, signal?: AbortSignal): Promise<Socket> {
  for (const deadline = performance.now() + queueTimeoutMs; ; await setTimeout(5)) {
    try {
      return await connect(path, isUnread, signal)
    } catch (error) {
      const full = error instanceof Error && 'code' in error && error.code === 'EAGAIN'
      if (!full || performance.now() > deadline) throw error
    }
  }
}

function connect(path: string, isUnread: boolean, signal?: AbortSignal): Promise<Socket> {
  return new Promise<Socket>((resolve, reject) => {
    const socket = createConnection({ path, allowHalfOpen: true })
    if (isUnread) socket.pause()
    const abort = () => socket.destroy(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    const failed = (error: Error) => {
      signal?.removeEventListener('abort', abort)
      reject(error)
    }
    socket.once('error', failed)
    socket.once('connect', () => {
      signal?.removeEventListener('abort', abort)
      socket.off('error', failed)
      resolve(socket)
    })
    if (signal?.aborted) abort()
  })
}

/** Connects as soon as the socket exists and accepts connections; gives up when the signal fires. */
export async function awaitSocket(folder: string, name: string, signal: AbortSignal): Promise<Socket> {
  const changes = watch(folder, { signal })
  let changed = Promise.withResolvers<void>()
  changes.on('change', () => changed.resolve())
  // The folder may be removed with the machine; the signal ends the wait then.
  changes.on('error', () => {})
  const aborted = Promise.withResolvers<never>()
  aborted.promise.catch(() => {})
  signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
  try {
    for (;;) {
      signal.throwIfAborted()
      try {
        return await connectIn(folder, name, signal)
      } catch (error) {
        signal.throwIfAborted()
        // The socket is not bound yet, or not listening yet.
        if (!(error instanceof MachineError && error.code === 'REFUSED')) throw error
      }
      await Promise.race([changed.promise, aborted.promise])
      changed = Promise.withResolvers<void>()
    }
  } finally {
    changes.close()
  }
}
