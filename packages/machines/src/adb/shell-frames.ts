import { AdbShellProtocolId } from '@yume-chan/adb'

/** Data of one stream; `id` is an `AdbShellProtocolId`. */
export interface ShellPiece {
  readonly id: number
  readonly data: Buffer
}

const headerLength = 5

export function shellFrame(id: number, data: Uint8Array = new Uint8Array(0)): Buffer {
  const frame = Buffer.alloc(headerLength + data.length)
  frame.writeUInt8(id, 0)
  frame.writeUInt32LE(data.length, 1)
  frame.set(data, headerLength)
  return frame
}

export function resizeFrame(rows: number, columns: number): Buffer {
  return shellFrame(AdbShellProtocolId.WindowSizeChange, Buffer.from(`${rows}x${columns},0x0\0`))
}

/**
 * Splits ADB's shell protocol v2 into the data of its streams. A frame is passed on as it arrives, so a large
 * declared length costs no memory. Consecutive data of one stream is joined, so that a chunk of many tiny frames is not
 * passed on byte by byte.
 */
export class ShellFrames {
  #head = Buffer.alloc(0)
  #id = 0
  #left = 0

  receive(chunk: Buffer): ShellPiece[] {
    const pieces: { readonly id: number; readonly parts: Buffer[] }[] = []
    for (let rest = chunk; rest.length > 0; ) {
      if (this.#left === 0) {
        const missing = headerLength - this.#head.length
        this.#head = Buffer.concat([this.#head, rest.subarray(0, missing)])
        rest = rest.subarray(missing)
        if (this.#head.length < headerLength) break
        this.#id = this.#head.readUInt8(0)
        this.#left = this.#head.readUInt32LE(1)
        this.#head = Buffer.alloc(0)
      } else {
        const data = rest.subarray(0, this.#left)
        rest = rest.subarray(data.length)
        this.#left -= data.length
        const last = pieces.at(-1)
        if (last?.id === this.#id) last.parts.push(data)
        else pieces.push({ id: this.#id, parts: [data] })
      }
    }
    return pieces.map(({ id, parts: [first = Buffer.alloc(0), ...more] }) => ({
      id,
      data: more.length === 0 ? first : Buffer.concat([first, ...more]),
    }))
  }
}
