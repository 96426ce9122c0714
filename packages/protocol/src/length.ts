import { z } from 'zod'

const Pixels = z.object({ type: z.literal('px'), value: z.number() })

const Fraction = z
  .object({ type: z.literal('/'), numerator: z.number(), denominator: z.number() })
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
