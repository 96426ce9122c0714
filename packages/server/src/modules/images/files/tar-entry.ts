/** The size of a header, and the unit in which content is padded. */
export const blockBytes = 512

const sizeField = { at: 124, length: 12 }
const checksumField = { at: 148, length: 8 }
/** The largest size that fits into the field as text. */
const maxTextSize = 8 ** 11 - 1

/** Writes the header of a regular file with a short ASCII name. */
export function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(blockBytes)
  header.write(name, 0, 100, 'ascii')
  header.write('0000644\0', 100, 'ascii')
  header.write('0000000\0', 108, 'ascii')
  header.write('0000000\0', 116, 'ascii')
  writeSize(header, size)
  header.write('00000000000\0', 136, 'ascii')
  header.write('0', 156, 'ascii')
  header.write('ustar\u000000', 257, 'ascii')
  const checksum = checksumOf(header).toString(8).padStart(6, '0')
  header.write(`${checksum}\0 `, checksumField.at, 'ascii')
  return header
}

/** A size beyond 8 GiB is written as a number with a mark, which every tar understands. */
function writeSize(header: Buffer, size: number): void {
  const { at, length } = sizeField
  if (size <= maxTextSize) return void header.write(`${size.toString(8).padStart(11, '0')}\0`, at, 'ascii')
  header.writeBigUInt64BE(BigInt(size), at + length - 8)
  header[at] = 0x80
}

export const paddingOf = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes

/** What a header says. */
export interface TarHeader {
  readonly name: string
  readonly size: number
  /** `0` is a regular file, `5` a folder, `x` has more about the next entry, and so on. */
  readonly type: string
}

/** Returns undefined for a block of zeros, which ends the archive, and throws if the block is no header. */
export function readTarHeader(block: Buffer): TarHeader | undefined {
  if (block.every(byte => byte === 0)) return undefined
  const { at, length } = checksumField
  const checksum = Number.parseInt(block.toString('latin1', at, at + length), 8)
  if (checksum !== checksumOf(block)) throw new Error('a header is damaged')
  const prefix = block.toString('latin1', 257, 262) === 'ustar' ? textAt(block, 345, 155) : ''
  const name = textAt(block, 0, 100)
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size: sizeOf(block),
    type: block[156] === 0 ? '0' : String.fromCharCode(block[156] ?? 0),
  }
}

function sizeOf(block: Buffer): number {
  const { at, length } = sizeField
  const isNumber = ((block[at] ?? 0) & 0x80) !== 0
  const size = isNumber
    ? Number(block.readBigUInt64BE(at + length - 8))
    : Number.parseInt(
        block
          .toString('latin1', at, at + length)
          .replaceAll('\0', ' ')
          .trim() || '0',
        8,
      )
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('a size is damaged')
  return size
}

function textAt(block: Buffer, at: number, length: number): string {
  const text = block.toString('utf8', at, at + length)
  const end = text.indexOf('\0')
  return end === -1 ? text : text.slice(0, end)
}

/** The checksum is made as if its own field were spaces. */
function checksumOf(block: Buffer): number {
  const { at, length } = checksumField
  let sum = 0
  for (const [index, byte] of block.entries()) sum += index >= at && index < at + length ? 0x20 : byte
  return sum
}
