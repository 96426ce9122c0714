import type { Duplex } from 'node:stream'
import type { Machine } from '@sandglass/machines/contract'

/** The encodings that noVNC requests: Tight with JPEG quality 6 and compression 2, and its pseudo-encodings. */
export const asNoVnc = [1, 7, 5, 0, -26, -254, -224, -223, -239]
export const asZrle = [1, 16, 0, -224, -223, -239]

/** The rate at which a browser draws. */
const periodMs = 16

/** A VNC viewer that draws nothing: it requests changes continuously and counts the bytes. */
export class RfbBytes {
  readonly #stream: Duplex
  readonly #asking: NodeJS.Timeout
  count = 0

  private constructor(stream: Duplex, size: { width: number; height: number }, encodings: readonly number[]) {
    this.#stream = stream
    stream.on('data', chunk => {
      this.count += chunk.length
    })
    stream.on('error', () => {})
    // The version, no security, and a shared session; the server reads them in sequence.
    stream.write(Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.of(1, 1), setEncodings(encodings)]))
    stream.write(request(size, false))
    this.#asking = setInterval(() => stream.write(request(size, true)), periodMs)
  }

  static async open(machine: Machine, encodings: readonly number[]): Promise<RfbBytes> {
    const size = await machine.screen.size()
    return new RfbBytes(await machine.dial('screen:rfb'), size, encodings)
  }

  close(): void {
    clearInterval(this.#asking)
    this.#stream.destroy()
  }
}

/** RFC 6143, 7.5.2. */
function setEncodings(encodings: readonly number[]): Buffer {
  const message = Buffer.alloc(4 + 4 * encodings.length)
  message.writeUInt8(2)
  message.writeUInt16BE(encodings.length, 2)
  encodings.forEach((encoding, at) => void message.writeInt32BE(encoding, 4 + 4 * at))
  return message
}

/** RFC 6143, 7.5.3. */
function request({ width, height }: { width: number; height: number }, incremental: boolean): Buffer {
  const message = Buffer.alloc(10)
  message.writeUInt8(3)
  message.writeUInt8(incremental ? 1 : 0, 1)
  message.writeUInt16BE(width, 6)
  message.writeUInt16BE(height, 8)
  return message
}
