import { resolve } from 'node:path'

/** Where the service of this repository keeps its images, by the same settings. */
export function builtImagesFolder(root: string): string {
  const { SANDGLASS_IMAGES: images, SANDGLASS_DATA: data = 'data' } = process.env
  return images ? resolve(images) : resolve(root, data, 'images')
}
