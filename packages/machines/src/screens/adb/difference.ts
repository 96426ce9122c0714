import type { Rect } from '../../contract/screen.ts'
import type { Capture } from './screencap.ts'

/** The smallest rectangle that holds all that differs; nothing where nothing does. */
export function difference(before: Capture | undefined, now: Capture): Rect[] {
  const { width, height } = now
  const whole = [{ x: 0, y: 0, width, height }]
  if (before?.width !== width || before.height !== height) return whole
  const [a, b] = [words(before), words(now)]
  const first = a.findIndex((word, index) => word !== b[index])
  if (first === -1) return []
  const last = a.findLastIndex((word, index) => word !== b[index])
  const [top, bottom] = [Math.floor(first / width), Math.floor(last / width)]
  let [left, right] = [width, 0]
  for (let y = top; y <= bottom; y++) {
    const row = y * width
    let x = 0
    while (x < left && a[row + x] === b[row + x]) x++
    left = Math.min(left, x)
    x = width - 1
    while (x > right && a[row + x] === b[row + x]) x--
    right = Math.max(right, x)
  }
  return [{ x: left, y: top, width: right - left + 1, height: bottom - top + 1 }]
}

function words({ pixels }: Capture): Uint32Array {
  return new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4)
}
