const sequenceParameterSet = 7

/**
 * The WebCodecs name of an H.264 stream, from the profile and level in its parameter set; undefined if there is none.
 */
export function codecOf(accessUnit: Uint8Array): string | undefined {
  for (let at = 0; at + 6 < accessUnit.length; at++) {
    const isStart = accessUnit[at] === 0 && accessUnit[at + 1] === 0 && accessUnit[at + 2] === 1
    if (!isStart || ((accessUnit[at + 3] ?? 0) & 0x1f) !== sequenceParameterSet) continue
    return `avc1.${Array.from(accessUnit.subarray(at + 4, at + 7), hex).join('')}`
  }
  return undefined
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}
