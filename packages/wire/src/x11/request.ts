/** A request of a whole number of words: its opcode, its second byte, and its length, which is filled in here. */
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

/** The fixed head of a reply, which numbers its own fields from here on. */
export function replyOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
