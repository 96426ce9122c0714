/** How an image processor resizes an image before the model sees it. */
export type Resize =
  | { readonly rule: 'none' }
  | {
      /** Rounds both sides to a multiple of `factor` and keeps the area within limits. */
      readonly rule: 'smart'
      readonly factor: number
      readonly minPixels: number
      readonly maxPixels: number
    }
  | {
      /** Shrinks the image, and never enlarges it, until its longer side and area are within limits. */
      readonly rule: 'fit'
      readonly maxSide: number
      readonly maxPixels: number
    }

export interface Size {
  readonly width: number
  readonly height: number
}

/** Qwen2.5-VL: patches of 14, merged in pairs, with the limits of its published preprocessor. */
export const qwen25: Resize = {
  rule: 'smart',
  factor: 28,
  minPixels: 4 * 28 * 28,
  maxPixels: 16384 * 28 * 28,
}

/** UI-TARS 1.5: the same processor with a minimum of a hundred merged patches. */
export const uiTars15: Resize = {
  rule: 'smart',
  factor: 28,
  minPixels: 100 * 28 * 28,
  maxPixels: 16384 * 28 * 28,
}

/** Qwen3-VL: patches of 16, merged in pairs. */
export const qwen3: Resize = { rule: 'smart', factor: 32, minPixels: 256 * 256, maxPixels: 4096 * 4096 }

/** The limits that the Anthropic API documents for images in computer use. */
export const anthropicFit: Resize = { rule: 'fit', maxSide: 1568, maxPixels: 1_150_000 }

/** The size of the image that the model's pixel coordinates refer to. */
export function resized(image: Size, resize: Resize): Size {
  const { width, height } = image
  const area = width * height
  if (resize.rule === 'none') return image
  if (resize.rule === 'fit') {
    const scale = Math.min(1, resize.maxSide / Math.max(width, height), Math.sqrt(resize.maxPixels / area))
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

/** Rounds half to even, like Python's `round`, which the processors use. */
function halfToEven(value: number): number {
  const floor = Math.floor(value)
  if (value - floor !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}
