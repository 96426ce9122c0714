import type { Duplex } from 'node:stream'
import { Adb, type AdbCredentialStore, AdbDaemonTransport, type AdbSocket } from '@yume-chan/adb'
import { MachineError } from '../contract/errors.ts'
import { windowBytes } from './flow.ts'
import { packetsOver } from './packets.ts'

/** A device that is there answers within this. */
export const patienceMs = 5000

/** The largest screen there is, and a little. */
const maxOutput = 4 * 8192 * 8192 + 4096

/** Keys by which we show a device who we are. Without any, only devices that ask nobody let us in. */
export const noKeys: AdbCredentialStore = {
  generateKey: () => {
    throw new MachineError(
      'DENIED',
      'The device asks for a key that it knows. Allow the key of this service on the device, or let its adbd ask for none.',
    )
  },
  *iterateKeys() {},
}

/** One connection to a device, by its adbd or by an adb server that has it. */
export class AdbLink {
  readonly adb: Adb
  /** Settles when there is no connection any more. */
  readonly closed: Promise<void>
  readonly #hangUp: () => void
  /** Services that were asked for and did not answer yet: nothing of the library tells them that the connection is lost. */
  readonly #opening = new Set<(error: MachineError) => void>()

  /** `hangUp` ends everything that goes on by it, without asking the device. */
  constructor(adb: Adb, hangUp: () => void) {
    this.adb = adb
    this.#hangUp = hangUp
    const onEnd = () => {
      for (const fail of this.#opening) fail(lost())
    }
    this.closed = adb.disconnected.then(onEnd, onEnd)
  }

  /** To the adbd at the other end of a stream. */
  static async open(stream: Duplex, keys: AdbCredentialStore = noKeys): Promise<AdbLink> {
    // Whoever uses the connection hears of its failures.
    stream.on('error', () => {})
    const timer = setTimeout(() => stream.destroy(silent()), patienceMs)
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
      // First it signs; then, where the device does not know its signature, the key itself is shown to whoever holds the device.
      throw timesShown > 1 ? unauthorised(error) : asMachineError(error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Everything that a program on the device prints on stdout. */
  async output(command: string, most = maxOutput): Promise<Buffer> {
    const socket = await this.connect(`exec:${command}`)
    const chunks: Uint8Array[] = []
    const reader = socket.readable.getReader()
    for (let length = 0; ; ) {
      const { value, done } = await reader.read()
      if (done) return Buffer.concat(chunks)
      length += value.length
      if (length > most) {
        void Promise.resolve(socket.close()).catch(() => {})
        throw new MachineError('MACHINE_FAILED', `The device printed more than ${most} bytes.`)
      }
      chunks.push(value)
    }
  }

  /** A service of the device, such as `tcp:1080` or `exec:screencap`. */
  connect(service: string): Promise<AdbSocket> {
    const { promise, resolve, reject } = Promise.withResolvers<AdbSocket>()
    const timer = setTimeout(() => reject(silent()), patienceMs)
    this.#opening.add(reject)
    const opened = this.adb.createSocket(service)
    opened.then(resolve, error => reject(asMachineError(error)))
    // One that comes when nobody waits any more.
    promise.catch(() => opened.then(socket => socket.close()).catch(() => {}))
    return promise.finally(() => {
      clearTimeout(timer)
      this.#opening.delete(reject)
    })
  }

  close(): void {
    this.#hangUp()
  }
}

function lost(): MachineError {
  return new MachineError('MACHINE_FAILED', 'The connection to the device was lost.')
}

export function silent(): MachineError {
  return new MachineError('MACHINE_FAILED', `The device did not answer within ${patienceMs / 1000} s.`)
}

function unauthorised(cause: unknown): MachineError {
  const message =
    'The device does not know the key of this service. Allow it on the device, which asks on its screen, or add adbkey.pub of the service to its adb_keys.'
  return new MachineError('DENIED', message, { cause })
}

export function asMachineError(error: unknown): MachineError {
  if (error instanceof MachineError) return error
  const cause = error instanceof Error ? error.message : String(error)
  return new MachineError('MACHINE_FAILED', `The device does not answer by ADB: ${cause}.`, { cause: error })
}
