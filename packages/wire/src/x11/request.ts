/** Encodes a request of `words` 32-bit words. Sets the opcode, the second byte and the length; `fill` sets the rest. */
export function request(
  opcode: number,
  detail: number,
  words: number,
  fill?: (data: DataView) => void,
): Uint8Array {
  const bytes = new Uint8Array(words * 4)
  const data = new DataView(bytes.buffer)
  data.setUint8(0, opcode)
  data.setUint8(1, detail)
  data.setUint16(2, words, true)
  fill?.(data)
  return bytes
}

/** A view of a reply or event, to read its fields. */
export function dataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
