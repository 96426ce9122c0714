import { z } from 'zod'

const OfferedShape = z.object({
  name: z.string().max(50),
  description: z.string().max(1000),
  os: z.enum(['Windows', 'Linux', 'Android']),
  virtualization: z.enum(['KVM', 'Container']),
  image: z.string().max(100),
  cpus: z.number(),
  memoryMiB: z.number(),
  diskMiB: z.number(),
})
export type OfferedShape = Readonly<z.infer<typeof OfferedShape>>

/** What an engine adds to the catalogue of shapes once it is open. */
export const ShapeOffer = z.object({
  /** A sentence for the description of every shape of the engine, such as that its machines are emulated. */
  note: z.string().max(500).exactOptional(),
  /** The shapes of images that operators have added. The catalogue leaves out those that it names itself. */
  shapes: z.array(OfferedShape).max(1000).readonly(),
})
export type ShapeOffer = z.infer<typeof ShapeOffer>
