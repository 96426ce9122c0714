import { z } from 'zod'

/** A name that people give to a thing: some text, with no control characters. */
export const Name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters')

/** A longer text that people write about a thing. */
export const Description = z.string().max(500)
