import { promisify } from 'node:util'
import { deflateRaw, deflateRawSync } from 'node:zlib'
import { encodePacked } from '@sandglass/wire/frames'

const deflateElsewhere = promisify(deflateRaw)

/** Fewer bytes than this become no fewer. */
const fewestBytes = 48

/** More than this is compressed in another thread, since the service has other things to do. */
const manyBytes = 48 * 1024

/** The ops of tiles as they travel. */
export function pack(ops: Uint8Array): Uint8Array | Promise<Uint8Array> {
  if (ops.length < fewestBytes) return ops
  if (ops.length > manyBytes) return packElsewhere(ops)
  return shorter(ops, deflateRawSync(ops, { level: 6 }))
}

async function packElsewhere(ops: Uint8Array): Promise<Uint8Array> {
  return shorter(ops, await deflateElsewhere(ops, { level: 3 }))
}

function shorter(ops: Uint8Array, deflated: Uint8Array): Uint8Array {
  const packed = encodePacked(ops.length, deflated)
  return packed.length < ops.length ? packed : ops
}
