import { setImmediate } from 'node:timers/promises'
import { encodeChange } from './encode-change.ts'
import { Mirror } from './mirror.ts'

/** Small, so that a round takes a few milliseconds and calls that arrive meanwhile wait no longer. */
const size = { width: 512, height: 256 }

/** Most of the time is that of the first round, which loads and compiles. */
const rounds = 3

/** Compiles what the first viewer would otherwise wait for. */
export async function warmUp(): Promise<void> {
  const words = new Int32Array(size.width * size.height)
  const screen = { words, ...size }
  for (let round = 0; round < rounds; round++) {
    drawText(words, round)
    const mirror = new Mirror(size)
    const cells = mirror.cells.all()
    for (const cell of cells) mirror.take(mirror.cells.areaOf(cell), screen)
    const areas = mirror.cells.areasOf(cells)
    await encodeChange(mirror, [], [...areas, ...cells.map(cell => mirror.cells.areaOf(cell))]).later
    await setImmediate()
  }
}

/** Draws what looks like lines of text, with the colours of smoothed letters. */
function drawText(words: Int32Array, seed: number): void {
  for (let y = 0; y < size.height; y++)
    for (let x = 0; x < size.width; x++) {
      const isGap = y % 16 > 11 || x % 9 === 8
      const ink = Math.imul((x >> 3) * 7919 + (y >> 4) * 104729 + x + seed, 0x9e3779b1) >>> 29
      words[y * size.width + x] = isGap ? 0xffffff : ink * 0x202020
    }
}
