import type { OfferedShape, ShapeOffer } from '@sandglass/host'
import type { Acceleration } from '@sandglass/machines/qemu'

/** What a shape needs to know of an image of virtual machines. */
export interface VmImage {
  readonly name: string
  readonly os: 'linux' | 'windows' | 'other'
  readonly diskMiB: number
  /** The least memory that it needs. */
  readonly memoryMiB?: number
}

/** Clients know no other systems. */
const systems = {
  linux: { os: 'Linux', title: 'A virtual machine with Linux' },
  windows: { os: 'Windows', title: 'A virtual machine with Windows' },
  other: { os: 'Linux', title: 'A virtual machine' },
} as const

const cpus = 2
const memoryMiB = { linux: 2048, windows: 4096, other: 2048 } as const

/** A sentence for descriptions, because an emulated machine is many times slower than people expect. */
const emulated: Readonly<Record<'chosen' | 'forced', string>> = {
  chosen: 'Its machines are emulated, so they are slow.',
  forced: 'Its machines are emulated, because KVM does not work here, so they are slow.',
}

/** Returns what the engine adds to the catalogue: a shape per image, the newest of each name, and how machines run. */
export function offerOf(
  images: readonly VmImage[],
  acceleration: Acceleration,
  isForced: boolean,
): ShapeOffer {
  const newest = new Map(images.toReversed().map(image => [image.name, image]))
  const note = acceleration === 'emulation' ? emulated[isForced ? 'forced' : 'chosen'] : undefined
  return {
    ...(note !== undefined && { note }),
    shapes: [...newest.values()]
      .sort((a, b) => a.name.localeCompare(b.name))
      .map(image => shapeOf(image, note)),
  }
}

function shapeOf(image: VmImage, note: string | undefined): OfferedShape {
  const { os, title } = systems[image.os]
  return {
    name: image.name,
    description: [`${title}, made from the image ${image.name}.`, note].filter(Boolean).join(' '),
    os,
    virtualization: 'KVM',
    image: image.name,
    cpus,
    memoryMiB: Math.max(image.memoryMiB ?? 0, memoryMiB[image.os]),
    diskMiB: image.diskMiB,
  }
}
