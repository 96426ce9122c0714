import type { ParseOptions } from './base-sandbox.ts'

export function parseFields(textContent: string, options: ParseOptions) {
  const { screenWidth, screenHeight, imageWidth, imageHeight } = options
  return {
    textContent,
    ...(screenWidth !== undefined && { screenWidth }),
    ...(screenHeight !== undefined && { screenHeight }),
    ...(imageWidth !== undefined && { imageWidth }),
    ...(imageHeight !== undefined && { imageHeight }),
  }
}
