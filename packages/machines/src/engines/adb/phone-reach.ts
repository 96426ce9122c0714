import type { Socket } from 'node:net'
import { MachineError } from '../../contract/errors.ts'
import type { MachineReach } from '../../contract/reach.ts'
import { dialDevice } from './dial-device.ts'
import type { PhoneDetails } from './phone-details.ts'

const maxLineLength = 300

/** The way of a worker to a phone, as long as the machine has claimed the phone and the engine is open. */
export class PhoneReach implements MachineReach {
  readonly details: PhoneDetails
  readonly file?: Uint8Array
  readonly #tell: (line: string) => void
  readonly #end = Promise.withResolvers<string | undefined>()
  readonly ended = this.#end.promise
  readonly #sockets = new Set<Socket>()
  #isClosed = false
  /** Called when it was closed or has ended. */
  onClose: () => void = () => {}

  constructor(details: PhoneDetails, file: Uint8Array | undefined, tell: (line: string) => void) {
    this.details = details
    if (file) this.file = file
    this.#tell = tell
  }

  async dial(): Promise<Socket> {
    this.#requireOpen()
    const socket = await dialDevice(this.details.address)
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    if (this.#isClosed) socket.destroy()
    this.#requireOpen()
    return socket
  }

  tell(line: string): void {
    this.#tell(line.replace(/[^\x20-\x7e]/g, '').slice(0, maxLineLength))
  }

  /** Ends the machine because the tenant has lost the device. */
  end(reason: string): void {
    this.#end.resolve(reason)
    this.close()
  }

  close(): void {
    this.#isClosed = true
    this.#end.resolve(undefined)
    for (const socket of this.#sockets) socket.destroy()
    this.onClose()
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new MachineError('STATE', 'the machine has ended or was closed')
  }
}
