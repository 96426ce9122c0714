import { encoding, encodingsFor, type Preference } from './encodings.ts'
import type { WorkBudget } from './work-budget.ts'

/** Limits of what a server can make the client keep in memory. */
export interface Limits {
  /** Pixels of the framebuffer; each takes four bytes. */
  readonly maxPixels: number
  readonly maxCursorPixels: number
  /** Bytes of a clipboard text. */
  readonly maxTextBytes: number
}

/** Options of a connection. The limits default to values that fit any real desktop. */
export interface RfbOptions extends Partial<Limits> {
  /** Whether other clients may stay connected (RFC 6143, 7.3.1). The default is true. */
  readonly shared?: boolean
  readonly prefer?: Preference
  /** The encodings to request, instead of all supported ones. */
  readonly encodings?: readonly number[]
  /** The work that the server may cause; unlimited by default. */
  readonly budget?: WorkBudget
}

export interface Settings extends Limits {
  readonly shared: boolean
  readonly encodings: readonly number[]
  /** The same, to check what the server uses. */
  readonly requested: ReadonlySet<number>
}

/** An 8K screen, the largest cursor that TigerVNC allows, and four times its text. */
const defaultLimits: Limits = {
  maxPixels: 7680 * 4320,
  maxCursorPixels: 256 * 256,
  maxTextBytes: 1024 * 1024,
}

export function settings({
  shared = true,
  prefer = 'raw',
  encodings = encodingsFor(prefer),
  ...limits
}: Omit<RfbOptions, 'budget'>): Settings {
  // A server may always use raw, whether it was requested or not (RFC 6143, 7.7).
  const requested = new Set([encoding.raw, ...encodings])
  return { ...defaultLimits, ...limits, shared, encodings, requested }
}
