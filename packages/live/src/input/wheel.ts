import { wheelNotch } from '@sandglass/wire/frames'

/** What most browsers make of one notch, in the three units of a wheel's event: pixels, lines and pages. */
const perNotch = [100, 3, 1] as const

/** Far more than a hand turns, and no more than fits. */
const maxAtOnce = 32_000

/** How far a wheel was turned, in 120ths of a notch. */
export function turned(delta: number, deltaMode: number): number {
  const unit = perNotch[deltaMode] ?? perNotch[0]
  return Math.max(-maxAtOnce, Math.min(maxAtOnce, Math.round((delta / unit) * wheelNotch)))
}
