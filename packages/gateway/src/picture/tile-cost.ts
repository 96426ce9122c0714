import { type Area, indexBits } from '@sandglass/wire/frames'
import { Palette } from './palette.ts'
import type { Pixels } from './pixels.ts'

const palette = new Palette()

/** Every second row of an area is enough to judge it. */
const sampled = 2

/**
 * Estimates the bytes that an area takes as a tile: text in few colours takes few, and a photo takes many. Only
 * pixels are counted that differ from the previous pixel and from the one above, since repetition costs almost
 * nothing. Counting stops at `enough`.
 */
export function tileCost({ words, width }: Pixels, area: Area, enough = Number.POSITIVE_INFINITY): number {
  palette.clear()
  let [count, isPhoto] = [0, false]
  for (let row = area.y + 1; row < area.y + area.height; row += sampled) {
    for (let at = row * width + area.x + 1; at < row * width + area.x + area.width; at++) {
      const word = words[at] ?? 0
      if (word === words[at - 1] || word === words[at - width]) continue
      count++
      isPhoto ||= palette.indexOf(word) === -1
    }
    if (isPhoto && 3 * sampled * count >= enough) break
  }
  return (sampled * count * (isPhoto ? 24 : indexBits(palette.size))) / 8
}
