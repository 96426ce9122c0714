import { Settled } from '@sandglass/protocol'
import { z } from 'zod'

const pixels = z.int().min(0)

/** The structured content that every tool returns together with a picture. */
export const PictureOutput = z.object({
  picture: z.object({ width: pixels, height: pixels }).meta({ description: 'The size of the picture.' }),
  pointer: z
    .object({ x: z.int(), y: z.int() })
    .meta({ description: 'Where the pointer is, in pixels of the picture.' }),
  settled: Settled,
})
