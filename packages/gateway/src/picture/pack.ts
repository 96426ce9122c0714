import { promisify } from 'node:util'
import { deflateRaw, deflateRawSync } from 'node:zlib'
import { encodePacked } from '@sandglass/wire/frames'

const deflateInThread = promisify(deflateRaw)

/** Fewer bytes than this become no fewer. */
const minBytes = 48

/** More than this is compressed in another thread, since the service has other things to do. */
const threadMinBytes = 48 * 1024

/** The ops of tiles as they travel. */
export function pack(ops: Uint8Array): Uint8Array | Promise<Uint8Array> {
  if (ops.length < minBytes) return ops
  if (ops.length > threadMinBytes) return packInThread(ops)
  return shorter(ops, deflateRawSync(ops, { level: 6 }))
}

async function packInThread(ops: Uint8Array): Promise<Uint8Array> {
  return shorter(ops, await deflateInThread(ops, { level: 3 }))
}

function shorter(ops: Uint8Array, deflated: Uint8Array): Uint8Array {
  const packed = encodePacked(ops.length, deflated)
  return packed.length < ops.length ? packed : ops
}
