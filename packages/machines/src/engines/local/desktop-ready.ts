import type { Socket } from 'node:net'
import { awaitSocket } from './unix-socket.ts'

/** The few requests of the X11 protocol (X Consortium, X Protocol Version 11) that tell whether a desktop is up. */
const setupRequest = Buffer.from([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0])
const propertyChangeMask = 1 << 22
const propertyNotify = 28
const windowType = 33

/** Reads exactly so many bytes at a time from a socket. */
class Bytes {
  readonly #chunks: AsyncIterator<Buffer>
  #held = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#chunks = socket[Symbol.asyncIterator]()
  }

  async take(count: number): Promise<Buffer> {
    while (this.#held.length < count) {
      const { value, done } = await this.#chunks.next()
      if (done) throw new Error('the X server closed the connection')
      this.#held = Buffer.concat([this.#held, value])
    }
    const taken = this.#held.subarray(0, count)
    this.#held = this.#held.subarray(count)
    return taken
  }
}

function request(opcode: number, data: number, body: Buffer): Buffer {
  const head = Buffer.from([opcode, data, 0, 0])
  head.writeUInt16LE(1 + body.length / 4, 2)
  return Buffer.concat([head, body])
}

const words = (...values: number[]) => {
  const body = Buffer.alloc(values.length * 4)
  values.forEach((value, i) => {
    body.writeUInt32LE(value, i * 4)
  })
  return body
}

function internAtom(name: string): Buffer {
  const padded = Buffer.alloc(4 + Math.ceil(name.length / 4) * 4)
  padded.writeUInt16LE(name.length, 0)
  padded.write(name, 4, 'latin1')
  return request(16, 0, padded)
}

async function setUp(bytes: Bytes): Promise<{ root: number }> {
  const head = await bytes.take(8)
  const body = await bytes.take(head.readUInt16LE(6) * 4)
  if (head[0] !== 1) throw new Error('the X server refused the connection')
  const vendorBytes = Math.ceil(body.readUInt16LE(16) / 4) * 4
  const formats = body.readUInt8(21)
  return { root: body.readUInt32LE(32 + vendorBytes + formats * 8) }
}

/**
 * Settles when the display answers and a window manager has announced itself on it (EWMH's _NET_SUPPORTING_WM_CHECK):
 * the property is asked for once, and then its change is waited for.
 */
export async function awaitDesktop(x11Folder: string, signal: AbortSignal): Promise<void> {
  const socket = await awaitSocket(x11Folder, 'X0', signal)
  const abort = () => socket.destroy(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    const bytes = new Bytes(socket)
    socket.write(setupRequest)
    const { root } = await setUp(bytes)
    socket.write(request(2, 0, words(root, 1 << 11, propertyChangeMask)))
    socket.write(internAtom('_NET_SUPPORTING_WM_CHECK'))
    let atom = 0
    for (;;) {
      const message = await bytes.take(32)
      const kind = message[0]
      if (kind === 0) throw new Error(`the X server answered with error ${message[1]}`)
      if (kind === 1) {
        const extra = await bytes.take(message.readUInt32LE(4) * 4)
        if (atom !== 0 && extra.length >= 4) return
        if (atom === 0) {
          atom = message.readUInt32LE(8)
          socket.write(request(20, 0, words(root, atom, windowType, 0, 1)))
        }
      }
      // A window manager sets the property at its start and again when it takes over; any value will do.
      if (kind === propertyNotify && atom !== 0 && message.readUInt32LE(8) === atom && message[16] === 0)
        return
    }
  } finally {
    signal.removeEventListener('abort', abort)
    socket.destroy()
  }
}
