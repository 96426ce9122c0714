/** One frame of an H.264 stream in Annex B format. A keyframe includes its parameter sets. */
export interface AccessUnit {
  readonly isKey: boolean
  readonly bytes: Uint8Array
}

const headerBytes = 13
const tagHeadBytes = 11
const videoTag = 9
const startCode = Uint8Array.of(0, 0, 0, 1)

/**
 * Splits ffmpeg's FLV output into frames. FLV tags carry their length, while the end of a frame in bare Annex B is
 * known only when the next one begins. Parameter sets come once, at the beginning (ISO 14496-15,
 * AVCDecoderConfigurationRecord).
 */
export class FlvPictures {
  #held = Buffer.alloc(0)
  #isPastHeader = false
  #parameterSets = new Uint8Array()

  receive(chunk: Uint8Array): AccessUnit[] {
    this.#held = Buffer.concat([this.#held, chunk])
    const units: AccessUnit[] = []
    if (!this.#isPastHeader) {
      if (this.#held.length < headerBytes) return units
      this.#held = this.#held.subarray(headerBytes)
      this.#isPastHeader = true
    }
    while (this.#held.length >= tagHeadBytes) {
      const end = tagHeadBytes + this.#held.readUIntBE(1, 3)
      // The length of the tag is repeated after it.
      if (this.#held.length < end + 4) break
      const unit = this.#held[0] === videoTag && this.#read(this.#held.subarray(tagHeadBytes, end))
      this.#held = this.#held.subarray(end + 4)
      if (unit) units.push(unit)
    }
    return units
  }

  /** Frame type and codec (1 byte), packet type (1), composition time (3), then the packet. */
  #read(body: Buffer): AccessUnit | undefined {
    const [isKey, kind, packet] = [(body[0] ?? 0) >> 4 === 1, body[1], body.subarray(5)]
    if (kind === 0) this.#parameterSets = parameterSets(packet)
    if (kind !== 1) return
    const pictures = annexB(packet)
    return { isKey, bytes: isKey ? Buffer.concat([this.#parameterSets, pictures]) : pictures }
  }
}

/** Five bytes, then the sequence and picture parameter sets: a count, and a length before each. */
function parameterSets(record: Buffer): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = []
  let at = 5
  for (const mask of [0x1f, 0xff])
    for (let left = record.readUInt8(at++) & mask; left > 0; left--) {
      const length = record.readUInt16BE(at)
      parts.push(startCode, record.subarray(at + 2, at + 2 + length))
      at += 2 + length
    }
  return Buffer.concat(parts)
}

/** Replaces four-byte lengths by start codes. */
function annexB(packet: Buffer): Buffer {
  const bytes = Buffer.from(packet)
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    bytes.set(startCode, at)
    at += 4 + length
  }
  return bytes
}
