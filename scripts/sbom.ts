import { join } from 'node:path'
import { builtImagesFolder } from './sbom/images-folder.ts'
import { describeSbom, writeSbom } from './sbom/write-sbom.ts'

/** `npm run sbom` writes the software bill of materials to release/. `npm run release` does the same. */
try {
  const root = join(import.meta.dirname, '..')
  console.log(describeSbom(await writeSbom(root, builtImagesFolder(root))))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
