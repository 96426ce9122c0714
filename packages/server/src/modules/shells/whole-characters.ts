const empty = Buffer.alloc(0)

/**
 * Splits a stream of bytes only between UTF-8 characters: the first bytes of an incomplete character are held back until
 * the next chunk. Bytes that are not UTF-8 pass unchanged.
 */
export class WholeCharacters {
  #held: Buffer = empty

  push(chunk: Buffer): Buffer {
    const bytes = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk
    const end = bytes.length - incompleteBytes(bytes)
    this.#held = Buffer.from(bytes.subarray(end))
    return bytes.subarray(0, end)
  }

  /** Returns the bytes that were held back. Call this at the end of the stream. */
  flush(): Buffer {
    const held = this.#held
    this.#held = empty
    return held
  }
}

/** Counts the bytes at the end that begin an incomplete character. */
function incompleteBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0
  }
  return 0
}

/** Returns the length of a character from its first byte. */
function lengthOf(first: number): number {
  if (first >= 0xf8) return 1
  if (first >= 0xf0) return 4
  return first >= 0xe0 ? 3 : 2
}
