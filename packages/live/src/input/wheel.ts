import { wheelNotch } from '@sandglass/wire/frames'

/** The delta of one wheel notch in most browsers, for each WheelEvent.deltaMode: pixels, lines and pages. */
const perNotch = [100, 3, 1] as const

/** Fits the 16 bits of the wire format and is far more than a person scrolls at once. */
const maxDelta = 32_000

/** How far the wheel was turned, in 120ths of a notch. */
export function wheelDelta(delta: number, deltaMode: number): number {
  const unit = perNotch[deltaMode] ?? perNotch[0]
  return Math.max(-maxDelta, Math.min(maxDelta, Math.round((delta / unit) * wheelNotch)))
}
