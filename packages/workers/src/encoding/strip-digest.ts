import { createHash } from 'node:crypto'
import { stripRows } from '../raw/raw-frame.ts'
import type { Pixels } from './encode.ts'

/** Faster than SHA-256 on processors without instructions for that, where it took longer than most formats do. */
const algorithm = 'blake2b512'
const digestBytes = 32

export function digestOf(strip: Uint8Array): Uint8Array {
  return createHash(algorithm).update(strip).digest().subarray(0, digestBytes)
}

/**
 * Returns the hash of a picture from those of its strips, so that strips which did not change are not read again. `shown`
 * is the size after scaling.
 */
export function hashOf(
  shown: { readonly width: number; readonly height: number },
  digests: readonly Uint8Array[],
): string {
  const hash = createHash(algorithm).update(`${shown.width}x${shown.height}\n`)
  for (const digest of digests) hash.update(digest)
  return hash.digest().subarray(0, digestBytes).toString('hex')
}

/** Returns the digests of all strips of a frame in memory. */
export function digestsOf({ width, height, pixels }: Pixels): Uint8Array[] {
  const rows = stripRows(width) ?? height
  const stripBytes = rows * width * 4
  return Array.from({ length: Math.ceil(height / rows) }, (_, strip) =>
    digestOf(pixels.subarray(strip * stripBytes, (strip + 1) * stripBytes)),
  )
}
