/** Big-endian numbers, as RFB writes them. */
export const u8 = (...values: number[]): Uint8Array => Uint8Array.from(values)
export const u16 = (...values: number[]): Uint8Array => join(...values.map(value => u8(value >> 8, value)))
export const u32 = (...values: number[]): Uint8Array =>
  join(...values.map(value => u8(value >>> 24, value >>> 16, value >>> 8, value)))
export const ascii = (text: string): Uint8Array => Uint8Array.from(text, letter => letter.charCodeAt(0))

export function join(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
