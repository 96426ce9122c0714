import { promisify } from 'node:util'
import { deflateRaw, deflateRawSync } from 'node:zlib'
import { encodePacked } from '@sandglass/wire/frames'

const deflateInThread = promisify(deflateRaw)

/** Fewer bytes than this do not compress. */
const minBytes = 48

/** More than this is compressed in another thread, so that the event loop is not blocked. */
const threadMinBytes = 48 * 1024

/** Compresses the ops of tiles if that makes them smaller. */
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
