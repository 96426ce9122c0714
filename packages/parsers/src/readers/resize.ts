/** How an image processor sizes a picture before the model sees it. */
export type Resize =
  | { readonly rule: 'none' }
  | {
      /** Sides rounded to a multiple of `factor`, the area kept within bounds. */
      readonly rule: 'smart'
      readonly factor: number
      readonly minPixels: number
      readonly maxPixels: number
    }
  | {
      /** Shrunk, never grown, until neither the longer side nor the area passes its bound. */
      readonly rule: 'fit'
      readonly longestSide: number
      readonly maxPixels: number
    }

export interface Size {
  readonly width: number
  readonly height: number
}

/** Qwen2.5-VL: patches of 14, merged by two; the bounds of its published preprocessor. */
export const qwen25: Resize = {
  rule: 'smart',
  factor: 28,
  minPixels: 4 * 28 * 28,
  maxPixels: 16384 * 28 * 28,
}

/** UI-TARS 1.5 is the same processor with a floor of a hundred merged patches. */
export const uiTars15: Resize = {
  rule: 'smart',
  factor: 28,
  minPixels: 100 * 28 * 28,
  maxPixels: 16384 * 28 * 28,
}

/** Qwen3-VL: patches of 16, merged by two. */
export const qwen3: Resize = { rule: 'smart', factor: 32, minPixels: 256 * 256, maxPixels: 4096 * 4096 }

/** The bounds that the Anthropic API documents for images in a computer-use conversation. */
export const anthropicFit: Resize = { rule: 'fit', longestSide: 1568, maxPixels: 1_150_000 }

/** The size of the picture that the model counted its pixels on. */
export function resized(image: Size, resize: Resize): Size {
  const { width, height } = image
  const area = width * height
  if (resize.rule === 'none') return image
  if (resize.rule === 'fit') {
    const scale = Math.min(
      1,
      resize.longestSide / Math.max(width, height),
      Math.sqrt(resize.maxPixels / area),
    )
    return { width: Math.floor(width * scale), height: Math.floor(height * scale) }
  }
  const { factor, minPixels, maxPixels } = resize
  const rounded = {
    width: Math.max(factor, halfToEven(width / factor) * factor),
    height: Math.max(factor, halfToEven(height / factor) * factor),
  }
  if (rounded.width * rounded.height > maxPixels) {
    const shrink = Math.sqrt(area / maxPixels)
    return {
      width: Math.max(factor, Math.floor(width / shrink / factor) * factor),
      height: Math.max(factor, Math.floor(height / shrink / factor) * factor),
    }
  }
  if (rounded.width * rounded.height < minPixels) {
    const grow = Math.sqrt(minPixels / area)
    return {
      width: Math.ceil((width * grow) / factor) * factor,
      height: Math.ceil((height * grow) / factor) * factor,
    }
  }
  return rounded
}

/** The processors are Python, whose `round` takes a half to the even neighbour. */
function halfToEven(value: number): number {
  const floor = Math.floor(value)
  if (value - floor !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}
