/** Pixels of three bytes each: red, green, blue. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const eightBitRgb = Uint8Array.of(8, 2, 0, 0, 0)

/** Decodes the PNGs that the service makes: 8 bits, red, green and blue, not interlaced, rows without a filter. */
export async function decodePng(png: Uint8Array<ArrayBuffer>): Promise<Pixels> {
  const view = new DataView(png.buffer, png.byteOffset)
  const [width, height] = [view.getUint32(16), view.getUint32(20)]
  const parts: Uint8Array<ArrayBuffer>[] = []
  for (let at = signature.length; at < png.length; at += view.getUint32(at) + 12)
    if (nameAt(png, at + 4) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + view.getUint32(at)))
  const rows = await through(new Blob(parts), new DecompressionStream('deflate'))
  const rowLength = width * 3 + 1
  if (png[24] !== 8 || png[25] !== 2 || rows.length !== rowLength * height)
    throw new TypeError('an unknown PNG')
  const data = new Uint8Array(width * 3 * height)
  for (let y = 0; y < height; y++) {
    if (rows[y * rowLength] !== 0) throw new TypeError('a PNG with filters')
    data.set(rows.subarray(y * rowLength + 1, (y + 1) * rowLength), y * width * 3)
  }
  return { width, height, data }
}

export async function encodePng({ width, height, data }: Pixels): Promise<Uint8Array<ArrayBuffer>> {
  const rowLength = width * 3 + 1
  const rows = new Uint8Array(rowLength * height)
  for (let y = 0; y < height; y++)
    rows.set(data.subarray(y * width * 3, (y + 1) * width * 3), y * rowLength + 1)
  const header = new Uint8Array(13)
  new DataView(header.buffer).setUint32(0, width)
  new DataView(header.buffer).setUint32(4, height)
  header.set(eightBitRgb, 8)
  const packed = await through(new Blob([rows]), new CompressionStream('deflate'))
  const whole = new Blob([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', packed),
    chunk('IEND', new Uint8Array()),
  ])
  return new Uint8Array(await whole.arrayBuffer())
}

async function through(
  blob: Blob,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(blob.stream().pipeThrough(stream)).arrayBuffer())
}

function nameAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}

function chunk(name: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(data.length + 12)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, data.length)
  for (let at = 0; at < 4; at++) bytes[at + 4] = name.charCodeAt(at)
  bytes.set(data, 8)
  view.setUint32(data.length + 8, crc32(bytes.subarray(4, data.length + 8)))
  return bytes
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return ~crc >>> 0
}
