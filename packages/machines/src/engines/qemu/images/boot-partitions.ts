import { open } from 'node:fs/promises'

const sectorBytes = 512

/** The types of partitions as they are on the disk, where the first three groups of an id are in little-endian order. */
const efiSystem = Buffer.from('28732ac11ff8d211ba4b00a0c93ec93b', 'hex')
const biosBoot = Buffer.from('4861682149646f6e744e656564454649', 'hex')

/** Whether the disk has a table of partitions as UEFI wants it. */
export async function hasGpt(disk: string): Promise<boolean> {
  const [header] = await readTable(disk)
  return header.subarray(0, 8).toString('latin1') === 'EFI PART'
}

/** The firmware that a disk is made for: UEFI if only that could start it. */
export async function firmwareFor(disk: string): Promise<'bios' | 'uefi'> {
  const [header, entries] = await readTable(disk)
  if (header.subarray(0, 8).toString('latin1') !== 'EFI PART') return 'bios'
  const size = header.readUInt32LE(84)
  if (size < 128 || size > 4096) return 'bios'
  const types: Buffer[] = []
  for (let at = 0; at + size <= entries.length; at += size) types.push(entries.subarray(at, at + 16))
  const has = (type: Buffer) => types.some(one => one.equals(type))
  return has(efiSystem) && !has(biosBoot) ? 'uefi' : 'bios'
}

/** The header of the table, and its entries, which follow it on disks that systems make. */
async function readTable(disk: string): Promise<[header: Buffer, entries: Buffer]> {
  const file = await open(disk)
  try {
    const start = Buffer.alloc(34 * sectorBytes)
    await file.read(start, 0, start.length, 0)
    return [start.subarray(sectorBytes, 2 * sectorBytes), start.subarray(2 * sectorBytes)]
  } finally {
    await file.close()
  }
}
