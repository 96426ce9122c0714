import { z } from 'zod'

/** An error as it crosses. */
export const DescribedError = z.object({
  kind: z.string().max(40),
  code: z.string().max(40).optional(),
  message: z.string().max(4096),
})
export type DescribedError = z.infer<typeof DescribedError>

/** How errors cross, so that callers can still decide by their codes. */
export interface ErrorCodec {
  describe(error: unknown): DescribedError
  revive(error: DescribedError): Error
  /** What calls and channels fail with when the other process is gone; the reason itself by default. */
  closed?(reason: LinkClosed): Error
}

/** The other process ended, or sent what it must not. */
export class LinkClosed extends Error {
  override readonly name = 'LinkClosed'
}

/** A result that the caller would not accept. Only its own call fails, because whoever is behind it may have caused it. */
export class UnfitResult extends Error {
  override readonly name = 'UnfitResult'
}

/** For calls whose errors need nothing but a message. */
export const plainErrors: ErrorCodec = {
  describe: error => ({ kind: 'fault', message: messageOf(error) }),
  revive: ({ message }) => new Error(message),
}

export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 4096)
}
