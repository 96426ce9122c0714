import { z } from 'zod'

const Pixels = z.object({ type: z.literal('px'), value: z.number().describe('The number of pixels.') })

const Fraction = z
  .object({
    type: z.literal('/'),
    numerator: z.number().describe('The upper number of the fraction.'),
    denominator: z.number().describe('The lower number of the fraction; not 0.'),
  })
  .refine(({ denominator }) => denominator !== 0, {
    path: ['denominator'],
    message: 'must not be 0',
  })

/** A length on the screen: in pixels, or as a fraction of the screen's width (for x) or height (for y). */
export const Length = z.discriminatedUnion('type', [Pixels, Fraction]).meta({
  id: 'Length',
  description: "Pixels, or a fraction of the screen's width (for x) or height (for y).",
})
export type Length = z.infer<typeof Length>
