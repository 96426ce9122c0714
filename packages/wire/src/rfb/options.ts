import { encodingsFor, type Preference } from './encodings.ts'

/** Limits of what a server can make the client keep in memory. */
export interface Limits {
  /** Pixels of the framebuffer; each takes four bytes. */
  readonly maxPixels: number
  readonly maxCursorPixels: number
  /** Bytes of a desktop name, a refusal reason or a clipboard text. */
  readonly maxTextBytes: number
}

/** Options of a connection. The limits default to values that fit any real desktop. */
export interface RfbOptions extends Partial<Limits> {
  /** Whether other clients may stay connected (RFC 6143, 7.3.1). The default is true. */
  readonly shared?: boolean
  readonly prefer?: Preference
  /** The encodings to request, instead of all supported ones. */
  readonly encodings?: readonly number[]
}

export interface Settings extends Limits {
  readonly shared: boolean
  readonly encodings: readonly number[]
}

/** An 8K screen, a cursor of 1024 x 1024, and four times the text that TigerVNC allows. */
const defaultLimits: Limits = {
  maxPixels: 7680 * 4320,
  maxCursorPixels: 1024 * 1024,
  maxTextBytes: 1024 * 1024,
}

export function settings({ shared = true, prefer = 'raw', encodings, ...limits }: RfbOptions): Settings {
  return { ...defaultLimits, ...limits, shared, encodings: encodings ?? encodingsFor(prefer) }
}
