import { join } from 'node:path'
import { buildImage } from '@sandglass/machines/images'
import { installMissing } from '@sandglass/machines/local'

/** The images that tests use, in the order in which they are needed. */
const images = ['minimal', 'phone', 'desktop', 'vm-kernel', 'cluster-member', 'deployment-host']

/**
 * Builds images beside what needs none, most of which is downloading and unpacking. A test that comes before its image
 * waits for it, and reports why an image cannot be built.
 */
export async function buildImages(signal: AbortSignal): Promise<void> {
  const imagesDir = process.env['SANDGLASS_TEST_IMAGES'] ?? join(import.meta.dirname, '../../data/images')
  try {
    await installMissing()
    for (const image of images) await buildImage(image, { imagesDir, signal })
  } catch (error) {
    if (!signal.aborted) console.error(`Images are built by the tests that need them: ${error}`)
  }
}
