import { z } from 'zod'

export const TerminalSize = z.object({ columns: z.number(), rows: z.number() })

/** What the front wants to be done with a program. */
export const Order = z.union([
  z.object({ kill: z.number() }),
  z.object({ resize: TerminalSize }),
  z.object({ release: z.literal(true) }),
])
export type Order = z.infer<typeof Order>

/** What a worker reports about a program. */
export const Report = z.union([
  z.object({ exited: z.object({ code: z.int(), signal: z.int().optional() }) }),
  z.object({
    failed: z.object({
      kind: z.string().max(40),
      code: z.string().max(40).optional(),
      message: z.string().max(4096),
    }),
  }),
  z.object({ gone: z.literal(true) }),
])
export type Report = z.infer<typeof Report>

const maxReportBytes = 32 * 1024

/** Throws if it is malformed. */
export function unpackReport(message: Buffer): Report {
  if (message.length > maxReportBytes) throw new Error(`a report of ${message.length} bytes`)
  return Report.parse(JSON.parse(message.toString()))
}
