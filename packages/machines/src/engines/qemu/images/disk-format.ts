import { type FileHandle, open } from 'node:fs/promises'

/** The formats of disks that can be brought, by the names that qemu-img has for them. */
export const diskFormats = ['raw', 'qcow2', 'vmdk', 'vdi', 'vhdx'] as const
export type DiskFormat = (typeof diskFormats)[number]

export const isDiskFormat = (text: string): text is DiskFormat => diskFormats.some(one => one === text)

interface Signature {
  readonly at: number
  readonly bytes: Buffer
}

const signature = (at: number, bytes: string): Signature => ({ at, bytes: Buffer.from(bytes, 'latin1') })

const signatures: Readonly<Record<Exclude<DiskFormat, 'raw'>, Signature>> = {
  qcow2: signature(0, 'QFI\xfb'),
  vmdk: signature(0, 'KDMV'),
  vdi: signature(64, '\x7f\x10\xda\xbe'),
  vhdx: signature(0, 'vhdxfile'),
}

/** What people may take for a disk, and what to do with it. */
const otherFiles: readonly (readonly [Signature, advice: string])[] = [
  [signature(0, '\xfd7zXZ'), 'is compressed with xz. Unpack it first: unxz FILE'],
  [signature(0, '\x1f\x8b'), 'is compressed with gzip. Unpack it first: gunzip FILE'],
  [signature(0, '\x28\xb5\x2f\xfd'), 'is compressed with zstd. Unpack it first: unzstd FILE'],
  [signature(0, 'BZh'), 'is compressed with bzip2. Unpack it first: bunzip2 FILE'],
  [signature(0, 'PK\x03\x04'), 'is a zip archive. Unpack it, and add the disk that it contains'],
  [signature(0, '7z\xbc\xaf'), 'is a 7z archive. Unpack it, and add the disk that it contains'],
  [
    signature(257, 'ustar'),
    'is a tar archive, as .ova files are. Unpack it with tar -xf, and add the disk in it',
  ],
  [
    signature(0, '# Disk Desc'),
    'only describes a VMDK that has several files. Make it one file: vmware-vdiskmanager -r FILE -t 0 NEW',
  ],
  [signature(0, 'conectix'), 'is a VHD. Convert it first: qemu-img convert -f vpc -O qcow2 FILE disk.qcow2'],
  [
    signature(0x8001, 'CD001'),
    'is a CD image, not a disk. Install from it in another program, or for Windows: npm run vm-image -- windows',
  ],
]

/**
 * Finds the format of a disk by its first bytes. qemu-img is never asked to find it: the first bytes of a raw disk are written by
 * whoever used it, and could be those of another format that refers to files of the host.
 */
export async function detectFormat(path: string): Promise<DiskFormat> {
  const start = await readStart(path, 0x8006)
  const has = ({ at, bytes }: Signature) => start.subarray(at, at + bytes.length).equals(bytes)
  for (const [format, found] of Object.entries(signatures))
    if (has(found) && isDiskFormat(format)) return format
  if (start.readUInt16BE(510) === 0x55aa) {
    // Installers for USB sticks are both a CD image and a disk, and can be started as a disk.
    return 'raw'
  }
  const advice = otherFiles.find(([found]) => has(found))?.[1]
  throw new Error(
    advice
      ? `${path} ${advice}.`
      : `${path} is not a disk that can be started: it is neither qcow2, vmdk, vdi nor vhdx, and has no boot sector. If it is a raw disk nevertheless, add --format raw.`,
  )
}

/** Why a qcow2 disk cannot be used by itself. Its header is read here, before qemu-img opens what it refers to. */
export async function refusalOfQcow2(path: string): Promise<string | undefined> {
  const header = await readStart(path, 104)
  if (!header.subarray(0, 4).equals(signatures.qcow2.bytes)) return 'is not a qcow2 disk'
  const version = header.readUInt32BE(4)
  if (header.readBigUInt64BE(8) !== 0n || header.readUInt32BE(16) !== 0)
    return 'is only the difference to another disk, its backing file. Merge them where both are: qemu-img convert -O qcow2 FILE whole.qcow2'
  if (header.readUInt32BE(32) !== 0) return 'is encrypted. Decrypt it first with qemu-img convert'
  const externalData = 1n << 2n
  if (version >= 3 && header.readBigUInt64BE(72) & externalData)
    return 'keeps its data in another file. Merge them where both are: qemu-img convert -O qcow2 FILE whole.qcow2'
  return undefined
}

async function readStart(path: string, length: number): Promise<Buffer> {
  const file: FileHandle = await open(path)
  try {
    const start = Buffer.alloc(length)
    await file.read(start, 0, length, 0)
    return start
  } finally {
    await file.close()
  }
}
