const nothing = Buffer.alloc(0)

/**
 * Cuts a stream of bytes only between characters of UTF-8: the first bytes of one that is not whole yet wait for the
 * next chunk. Bytes that are no UTF-8 pass as they are.
 */
export class WholeCharacters {
  #held: Buffer = nothing

  push(chunk: Buffer): Buffer {
    const bytes = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk
    const end = bytes.length - unfinished(bytes)
    this.#held = Buffer.from(bytes.subarray(end))
    return bytes.subarray(0, end)
  }

  /** What is left when no more comes. */
  flush(): Buffer {
    const held = this.#held
    this.#held = nothing
    return held
  }
}

/** How many bytes at the end begin a character that is not whole. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0
  }
  return 0
}

/** Of a character, as its first byte tells. */
function lengthOf(first: number): number {
  if (first >= 0xf8) return 1
  if (first >= 0xf0) return 4
  return first >= 0xe0 ? 3 : 2
}
