import { z } from 'zod'

/** A name given by people: not empty and without control characters. */
export const Name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters')

/** A longer text written by people. */
export const Description = z.string().max(500)
