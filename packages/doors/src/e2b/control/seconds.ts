import { z } from 'zod'

/** A timeout as clients send it: seconds from now. */
export const Seconds = z.number().min(0).max(86_400).transform(Math.ceil)
