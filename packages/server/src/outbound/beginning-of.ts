import type { Readable } from 'node:stream'

/**
 * Returns the beginning of an answer. The rest is read up to `limit` bytes, so that the connection can be reused; longer answers
 * are cut off. An answer that breaks is returned as far as it came.
 */
export async function beginningOf(body: Readable, maxBytes: number, limit: number): Promise<Buffer> {
  const kept: Buffer[] = []
  let length = 0
  try {
    for await (const piece of body) {
      if (length < maxBytes) kept.push(piece)
      length += piece.length
      if (length > limit) break
    }
  } catch {
    // The status has arrived, and says enough.
  }
  return Buffer.concat(kept).subarray(0, maxBytes)
}
