import { encodingsFor, type Preference } from './encodings.ts'

/** What a server may make the client hold in memory. */
export interface Limits {
  /** Pixels of the framebuffer, four bytes each. */
  readonly maxPixels: number
  readonly maxCursorPixels: number
  /** Bytes of a name, a reason or a cut text. */
  readonly maxTextBytes: number
}

export interface RfbOptions extends Partial<Limits> {
  /** Whether others may stay connected (RFC 6143, 7.3.1). They may unless this is false. */
  readonly shared?: boolean
  readonly prefer?: Preference
  /** The encodings to ask for, instead of all that are known here. */
  readonly encodings?: readonly number[]
}

export interface Settings extends Limits {
  readonly shared: boolean
  readonly encodings: readonly number[]
}

/** A screen of 8K, a cursor of 1024 x 1024, and four times the text that TigerVNC lets through. */
const defaultLimits: Limits = {
  maxPixels: 7680 * 4320,
  maxCursorPixels: 1024 * 1024,
  maxTextBytes: 1024 * 1024,
}

export function settings({ shared = true, prefer = 'raw', encodings, ...limits }: RfbOptions): Settings {
  return { ...defaultLimits, ...limits, shared, encodings: encodings ?? encodingsFor(prefer) }
}
