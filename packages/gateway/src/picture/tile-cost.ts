import { type Area, indexBits } from '@sandglass/wire/frames'
import { Palette } from './palette.ts'
import type { Pixels } from './pixels.ts'

const palette = new Palette()

/** Of the rows of an area, every so manieth is enough to judge it. */
const sampled = 2

/**
 * About how many bytes an area takes as a tile: letters of few colours on their ground take few, whatever they say, and a photo takes many.
 * Only pixels are counted that are neither as the one before nor as the one above, since repetition costs next to nothing. Of a photo
 * no more is counted than is `enough`.
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
