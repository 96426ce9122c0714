import { deflateRawSync } from 'node:zlib'
import { encodePacked } from '@sandglass/wire/frames'

/** Fewer bytes than this become no fewer. */
const fewestBytes = 48

/** Above this, time counts more than bytes. */
const manyBytes = 64 * 1024

/** The ops of tiles as they travel. */
export function pack(ops: Uint8Array): Uint8Array {
  if (ops.length < fewestBytes) return ops
  const packed = encodePacked(ops.length, deflateRawSync(ops, { level: ops.length > manyBytes ? 2 : 5 }))
  return packed.length < ops.length ? packed : ops
}
