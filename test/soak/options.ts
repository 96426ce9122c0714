import { parseArgs } from 'node:util'
import { z } from 'zod'

const Options = z.object({
  /** How long sandboxes are created and used. */
  minutes: z.coerce.number().positive().max(10_080),
  /** Selects what happens, and when. */
  seed: z.coerce.number().int(),
  faults: z.enum(['none', 'quick']),
  /** Seconds between two samples. */
  every: z.coerce.number().min(1).max(3600),
  /** How many sandboxes are created and used at the same time. */
  callers: z.coerce.number().int().min(1).max(50),
  /** The share of one core that the service and its machines should use. */
  load: z.coerce.number().positive().max(64),
  /** How many real desktops run beside the small machines. */
  desktops: z.coerce.number().int().min(0).max(10),
  /** Whether the result is written to docs/soak.md. */
  page: z.boolean(),
})
export type SoakOptions = z.infer<typeof Options>

export const usage = `npm run soak -- [--minutes 60] [--seed N] [--faults none|quick] [--every SECONDS] [--callers 3]
  [--load 0.6] [--desktops 1] [--page]

Creates, uses and deletes sandboxes on a service of its own, and measures what grows. Ctrl-C ends it early, and what was
measured until then is printed. The exit code is 1 if something leaks, or if a call failed that should not have.
--page writes the result to docs/soak.md.`

/** Throws with the reason if the command line is wrong. */
export function parseOptions(args: readonly string[]): SoakOptions {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { ...text, default: '60' },
      seed: { ...text, default: '4780' },
      faults: { ...text, default: 'none' },
      every: text,
      callers: { ...text, default: '3' },
      load: { ...text, default: '0.6' },
      desktops: { ...text, default: '1' },
      page: { type: 'boolean', default: false },
    },
  })
  // A short run needs more samples per minute, because slopes of a few points say nothing.
  const every = values.every ?? String(Math.min(30, Math.max(2, (Number(values.minutes) * 60) / 120)))
  const parsed = Options.safeParse({ ...values, every })
  if (parsed.success) return parsed.data
  throw new TypeError(z.prettifyError(parsed.error))
}
