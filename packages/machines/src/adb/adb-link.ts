import type { Duplex } from 'node:stream'
import { Adb, type AdbCredentialStore, AdbDaemonTransport, AdbFeature, type AdbSocket } from '@yume-chan/adb'
import { MachineError } from '../contract/errors.ts'
import { windowBytes } from './flow-control.ts'
import { packetsOver } from './packets.ts'
import { PrintedBytes } from './printed-bytes.ts'

/** How long to wait for a device to accept a connection or a service. */
export const connectTimeoutMs = 5000

/** Presents no key, so it connects only to devices whose adbd does not authenticate its clients. */
export const noKeys: AdbCredentialStore = {
  generateKey: () => {
    throw new MachineError(
      'DENIED',
      'The device requires an authorised key. Allow the key of this service on the device, or turn off authentication in its adbd.',
    )
  },
  *iterateKeys() {},
}

/** One connection to a device, either directly to its adbd or through an adb server. */
export class AdbLink {
  readonly adb: Adb
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>
  readonly #disconnect: () => void
  /**
   * Rejects the services that were requested but have not answered yet. The ADB library does not reject them when the
   * connection is lost.
   */
  readonly #opening = new Set<(error: MachineError) => void>()

  /** `disconnect` must end every stream of the connection without waiting for the device. */
  constructor(adb: Adb, disconnect: () => void) {
    this.adb = adb
    this.#disconnect = disconnect
    const onEnd = () => {
      for (const fail of this.#opening) fail(connectionLost())
    }
    this.closed = adb.disconnected.then(onEnd, onEnd)
  }

  /** Connects to the adbd at the other end of a stream. */
  static async open(stream: Duplex, keys: AdbCredentialStore = noKeys): Promise<AdbLink> {
    // Errors reach the callers through the streams of the connection.
    stream.on('error', () => {})
    const timer = setTimeout(() => stream.destroy(timedOut()), connectTimeoutMs)
    let timesShown = 0
    const credentialStore: AdbCredentialStore = {
      generateKey: () => keys.generateKey(),
      iterateKeys: () => {
        timesShown++
        return keys.iterateKeys()
      },
    }
    try {
      const connection = packetsOver(stream)
      const transport = await AdbDaemonTransport.authenticate({
        serial: 'device',
        connection,
        credentialStore,
        initialDelayedAckBytes: windowBytes,
      })
      return new AdbLink(new Adb(transport), () => stream.destroy())
    } catch (error) {
      stream.destroy()
      // The library signs with our key first. Only if the device does not know the signature does it send the public
      // key, which the user of the device has to accept.
      throw timesShown > 1 ? unauthorised(error) : asMachineError(error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Returns everything that a command prints, and fails above `maxBytes`. */
  output(command: string, maxBytes: number): Promise<Buffer> {
    return this.#printed(`exec:${command}`, new PrintedBytes(maxBytes, false))
  }

  /**
   * The same for stdout only, by the shell v2 protocol where the device has it. It is faster, because the older one
   * sends everything through a terminal in chunks of 4 KiB.
   */
  shellOutput(command: string, maxBytes: number): Promise<Buffer> {
    if (!this.adb.canUseFeature(AdbFeature.ShellV2)) return this.output(command, maxBytes)
    return this.#printed(`shell,v2,raw:${command}`, new PrintedBytes(maxBytes, true))
  }

  async #printed(service: string, printed: PrintedBytes): Promise<Buffer> {
    const socket = await this.connect(service)
    const reader = socket.readable.getReader()
    try {
      for (;;) {
        const { value, done } = await reader.read()
        if (done || printed.receive(value)) return printed.whole
      }
    } finally {
      void Promise.resolve(socket.close()).catch(() => {})
    }
  }

  /** Opens a service of the device, such as `tcp:1080` or `exec:screencap`. */
  connect(service: string): Promise<AdbSocket> {
    const { promise, resolve, reject } = Promise.withResolvers<AdbSocket>()
    const timer = setTimeout(() => reject(timedOut()), connectTimeoutMs)
    this.#opening.add(reject)
    const opened = this.adb.createSocket(service)
    opened.then(resolve, error => reject(asMachineError(error)))
    // Close a socket that opens after the timeout, because nobody uses it any more.
    promise.catch(() => opened.then(socket => socket.close()).catch(() => {}))
    return promise.finally(() => {
      clearTimeout(timer)
      this.#opening.delete(reject)
    })
  }

  close(): void {
    this.#disconnect()
  }
}

function connectionLost(): MachineError {
  return new MachineError('MACHINE_FAILED', 'The connection to the device was lost.')
}

export function timedOut(): MachineError {
  return new MachineError('MACHINE_FAILED', `The device did not answer within ${connectTimeoutMs / 1000} s.`)
}

function unauthorised(cause: unknown): MachineError {
  const message =
    'The device does not know the key of this service. Accept the prompt on the screen of the device, or add adbkey.pub of the service to its adb_keys.'
  return new MachineError('DENIED', message, { cause })
}

export function asMachineError(error: unknown): MachineError {
  if (error instanceof MachineError) return error
  const cause = error instanceof Error ? error.message : String(error)
  return new MachineError('MACHINE_FAILED', `The device does not answer over ADB: ${cause}.`, {
    cause: error,
  })
}
