import type { ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import { MachineError } from '@sandglass/machines/contract'
import { z } from 'zod'

const Message = z.object({ connection: z.int() })

/** Passes connections to a child, each with a number. */
export class SocketPasser {
  readonly #child: ChildProcess
  #passed = 0

  constructor(child: ChildProcess) {
    this.#child = child
    // Each connection that is being passed listens for its end.
    child.setMaxListeners(0)
    // The channel has one direction. What the child sends is closed at once, so that it cannot fill this process.
    child.on('message', (_, handle) => {
      if (handle instanceof Socket) handle.destroy()
    })
  }

  /** The socket must be unread, and is no longer usable here. */
  async pass(socket: Socket): Promise<{ connection: number }> {
    const connection = ++this.#passed
    return await new Promise((resolve, reject) => {
      // What waits for a process that ends is never sent, and nobody would say so.
      const fail = (error: Error | null) => {
        socket.destroy()
        reject(error ?? new Error('the process has ended'))
      }
      const gone = () => fail(null)
      this.#child.once('exit', gone)
      this.#child.send({ connection }, socket, { keepOpen: false }, error => {
        this.#child.off('exit', gone)
        if (error) fail(error)
        else resolve({ connection })
      })
    })
  }
}

/** The connections that the parent of this process passes to it. They may arrive before or after their numbers. */
export class PassedSockets {
  readonly #arrived = new Map<number, Promise<Socket>>()
  readonly #awaited = new Map<number, (socket: Promise<Socket>) => void>()

  constructor(parent: NodeJS.Process = process) {
    parent.on('message', (message, handle) => {
      const parsed = Message.safeParse(message)
      if (!parsed.success) return
      const { connection } = parsed.data
      const socket = received(handle)
      const awaited = this.#awaited.get(connection)
      this.#awaited.delete(connection)
      if (awaited) awaited(socket)
      else this.#arrived.set(connection, socket)
    })
    // It must not keep this process from exiting.
    parent.channel?.unref()
  }

  take(connection: number): Promise<Socket> {
    const socket = this.#arrived.get(connection)
    this.#arrived.delete(connection)
    if (socket) return socket
    return new Promise(resolve => this.#awaited.set(connection, resolve))
  }
}

/** A connection that ended while it waited to be sent is missing from its message. */
function received(handle: unknown): Promise<Socket> {
  if (!(handle instanceof Socket)) {
    const lost = Promise.reject(new MachineError('UNREACHABLE', 'the connection ended while it was passed'))
    // Nobody may ask for it.
    lost.catch(() => {})
    return lost
  }
  handle.allowHalfOpen = true
  // Errors must have a listener, because the end of a machine must not end this process.
  handle.on('error', () => {})
  return Promise.resolve(handle)
}
