import type { AdbServerClient } from '@yume-chan/adb'
import { MaybeConsumable, ReadableStream, tryClose } from '@yume-chan/stream-extra'
import { MachineError } from '../../contract/errors.ts'
import type { DeviceRoute, DeviceStream } from './device-route.ts'

/** Opens one connection to an adb server per request; all of them can be closed at once. */
export class ServerConnector implements AdbServerClient.ServerConnector {
  readonly #server: Pick<DeviceRoute, 'dial'>
  readonly #sockets = new Set<DeviceStream>()
  #isClosed = false

  constructor(server: Pick<DeviceRoute, 'dial'>) {
    this.#server = server
  }

  async connect({
    signal,
  }: AdbServerClient.ServerConnectionOptions = {}): Promise<AdbServerClient.ServerConnection> {
    const socket = await this.#server.dial()
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
function connectionOver(socket: DeviceStream): AdbServerClient.ServerConnection {
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
