import type { Socket } from 'node:net'
import type { AdbServerClient } from '@yume-chan/adb'
import { MaybeConsumable, ReadableStream, tryClose } from '@yume-chan/stream-extra'
import { MachineError } from '../../contract/errors.ts'
import { dialTcp } from './dial-tcp.ts'

/** Opens one connection to an adb server per request; all of them can be closed at once. */
export class ServerConnector implements AdbServerClient.ServerConnector {
  readonly #endpoint: { readonly host: string; readonly port: number }
  readonly #sockets = new Set<Socket>()
  #isClosed = false

  constructor(endpoint: { readonly host: string; readonly port: number }) {
    this.#endpoint = endpoint
  }

  async connect({
    signal,
  }: AdbServerClient.ServerConnectionOptions = {}): Promise<AdbServerClient.ServerConnection> {
    const { host, port } = this.#endpoint
    const socket = await dialTcp(this.#endpoint, `The adb server ${host}:${port}`).catch(cause => {
      // Nothing is known of its devices while it is away.
      throw new MachineError('UNREACHABLE', cause.message, { cause })
    })
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    const stop = () => socket.destroy()
    signal?.addEventListener('abort', stop)
    if (this.#isClosed || signal?.aborted) socket.destroy()
    return connectionOver(socket)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Closes all connections. */
  close(): void {
    this.#isClosed = true
    for (const socket of this.#sockets) socket.destroy()
  }

  addReverseTunnel(): never {
    throw noTunnels()
  }

  removeReverseTunnel(): never {
    throw noTunnels()
  }

  clearReverseTunnels(): void {}
}

function noTunnels(): MachineError {
  return new MachineError('INVALID', 'reverse tunnels from devices to this host are not allowed')
}

/** Adapts a socket to the streams of the ADB library. Errors end the stream, which the reader notices. */
function connectionOver(socket: Socket): AdbServerClient.ServerConnection {
  socket.on('error', () => {})
  const closed = new Promise<undefined>(resolve => socket.once('close', () => resolve(undefined)))
  return {
    closed,
    close: () => socket.destroySoon(),
    readable: new ReadableStream<Uint8Array>({
      start(controller) {
        socket.on('data', chunk => {
          controller.enqueue(chunk)
          if ((controller.desiredSize ?? 0) <= 0) socket.pause()
        })
        // The reader may have cancelled it already.
        void closed.then(() => tryClose(controller))
      },
      pull: () => void socket.resume(),
      cancel: () => void socket.destroy(),
    }),
    writable: new MaybeConsumable.WritableStream<Uint8Array>({
      write: chunk =>
        new Promise((resolve, reject) => {
          socket.write(chunk, error => (error ? reject(error) : resolve()))
        }),
      close: () => socket.destroySoon(),
      abort: () => void socket.destroy(),
    }),
  }
}
