import { z } from 'zod'

/** An ISO 8601 UTC date-time with milliseconds, such as `2026-11-15T01:02:03.456Z`. */
export const Time = z.iso.datetime({ precision: 3 }).meta({ id: 'Time' })
