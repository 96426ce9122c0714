import type { Rect } from '../../contract/rect.ts'
import type { Capture } from './screencap.ts'

/** Returns the bounding box of the pixels that differ, or an empty list. */
export function difference(before: Capture | undefined, now: Capture): Rect[] {
  const { width, height } = now
  const whole = [{ x: 0, y: 0, width, height }]
  if (before?.width !== width || before.height !== height) return whole
  const [a, b] = [words(before), words(now)]
  const [top, bottom] = changedRows(before, now)
  if (top > bottom) return []
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

/** Finds the first and the last row that differ. Buffer.compare is much faster than a loop over pixels. */
function changedRows(before: Capture, now: Capture): [top: number, bottom: number] {
  const [a, b] = [bytes(before), bytes(now)]
  const length = 4 * now.width
  const isSame = (row: number) =>
    a.compare(b, row * length, (row + 1) * length, row * length, (row + 1) * length) === 0
  let [top, bottom] = [0, now.height - 1]
  while (top <= bottom && isSame(top)) top++
  while (bottom > top && isSame(bottom)) bottom--
  return [top, bottom]
}

function bytes({ pixels }: Capture): Buffer {
  return Buffer.from(pixels.buffer, pixels.byteOffset, pixels.length)
}

function words({ pixels }: Capture): Uint32Array {
  return new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4)
}
