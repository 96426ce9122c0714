import type { Duplex } from 'node:stream'
import { Adb, type AdbCredentialStore, AdbDaemonTransport, type AdbSocket } from '@yume-chan/adb'
import { MachineError } from '../../contract/errors.ts'
import { packetsOver } from './packets.ts'

/** A device that is there answers within this. */
const patienceMs = 5000

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

/** One connection to a device's adbd. */
export class AdbLink {
  readonly adb: Adb
  /** Settles when there is no connection any more. */
  readonly closed: Promise<void>
  readonly #stream: Duplex

  private constructor(adb: Adb, stream: Duplex) {
    this.adb = adb
    this.#stream = stream
    this.closed = adb.disconnected.then(
      () => {},
      () => {},
    )
  }

  static async open(stream: Duplex, keys: AdbCredentialStore = noKeys): Promise<AdbLink> {
    // Whoever uses the connection hears of its failures.
    stream.on('error', () => {})
    const timer = setTimeout(
      () =>
        stream.destroy(
          new MachineError('MACHINE_FAILED', `The device did not answer within ${patienceMs / 1000} s.`),
        ),
      patienceMs,
    )
    try {
      const connection = packetsOver(stream)
      const transport = await AdbDaemonTransport.authenticate({
        serial: 'device',
        connection,
        credentialStore: keys,
      })
      return new AdbLink(new Adb(transport), stream)
    } catch (error) {
      stream.destroy()
      throw asMachineError(error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Everything that a program on the device prints on stdout. */
  async output(command: string): Promise<Buffer> {
    const socket = await this.connect(`exec:${command}`)
    const chunks: Uint8Array[] = []
    const reader = socket.readable.getReader()
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return Buffer.concat(chunks)
      chunks.push(value)
    }
  }

  /** A service of the device, such as `tcp:1080` or `exec:screencap`. */
  async connect(service: string): Promise<AdbSocket> {
    try {
      return await this.adb.createSocket(service)
    } catch (error) {
      throw asMachineError(error)
    }
  }

  close(): void {
    this.#stream.destroy()
  }
}

export function asMachineError(error: unknown): MachineError {
  if (error instanceof MachineError) return error
  const cause = error instanceof Error ? error.message : String(error)
  return new MachineError('MACHINE_FAILED', `The device does not answer by ADB: ${cause}.`, { cause: error })
}
