import type { Frame } from '@sandglass/machines/contract'

type Paint = (x: number, y: number) => readonly [red: number, green: number, blue: number]

function paint(width: number, height: number, colour: Paint): Frame {
  const pixels = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) pixels.set(colour(x, y), (y * width + x) * 4)
  return { width, height, pixels, pointer: { x: 0, y: 0 } }
}

/** Draws a screen with flat areas and sharp edges. The same seed gives the same pixels. */
export function windows(width: number, height: number, seed = 0): Frame {
  return paint(width, height, (x, y) =>
    x > 20 && x < 220 && y > 20 && y < 120 ? [255, 255, seed % 256] : [20, Math.floor(y / 50) * 60, 90],
  )
}

/** Draws a screen that resembles a photo: a gradient with noise. */
export function gradient(width: number, height: number): Frame {
  return paint(width, height, (x, y) => {
    const noise = (Math.imul(x * 7919 + y * 104729, 2654435761) >>> 24) / 32
    return [120 + 100 * Math.sin(x / 60) + noise, 100 + 90 * Math.sin(y / 50) + noise, x / 2 + noise]
  })
}
