import { AdbShellProtocolId } from '@yume-chan/adb'
import { MachineError } from '../contract/errors.ts'
import { ShellFrames } from './shell-frames.ts'

/** Collects what a command prints on stdout, up to a limit. The ADB library would collect everything. */
export class PrintedBytes {
  readonly #maxBytes: number
  readonly #frames: ShellFrames | undefined
  readonly #chunks: Buffer[] = []
  /** Bytes of all streams, including those that are discarded. */
  #length = 0

  /** `isFramed` is for the shell v2 protocol; otherwise everything that is received was printed. */
  constructor(maxBytes: number, isFramed: boolean) {
    this.#maxBytes = maxBytes
    this.#frames = isFramed ? new ShellFrames() : undefined
  }

  get whole(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  /** Returns whether the command has ended, as far as the protocol reports it. */
  receive(bytes: Uint8Array): boolean {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    if (!this.#frames) {
      this.#add(chunk, true)
      return false
    }
    let hasEnded = false
    for (const { id, data } of this.#frames.receive(chunk)) {
      this.#add(data, id === AdbShellProtocolId.Stdout)
      hasEnded ||= id === AdbShellProtocolId.Exit
    }
    return hasEnded
  }

  #add(data: Buffer, isPrinted: boolean): void {
    this.#length += data.length
    if (this.#length > this.#maxBytes)
      throw new MachineError('MACHINE_FAILED', `The device printed more than ${this.#maxBytes} bytes.`)
    if (isPrinted) this.#chunks.push(data)
  }
}
