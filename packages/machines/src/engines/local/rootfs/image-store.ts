import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { MachineError } from '../../../contract/errors.ts'
import { imageFolder } from '../../../images/build-image.ts'
import type { Settings } from '../options.ts'

const known = new Map<string, Promise<string>>()

/** Returns the name of the folder of an image by the name of its recipe, whether it is built or not. */
export async function versionOfImage(name: string): Promise<string> {
  let folder = known.get(name)
  if (!folder) {
    folder = imageFolder(name)
    known.set(name, folder)
    folder.catch(() => known.delete(name))
  }
  try {
    return await folder
  } catch (cause) {
    throw new MachineError('INVALID', `there is no image recipe ${name}`, { cause })
  }
}

/** Returns the folder of a built image by the name of its recipe. */
export async function findImage(settings: Pick<Settings, 'imagesDir'>, name: string): Promise<string> {
  const found = await versionOfImage(name)
  if (!existsSync(join(settings.imagesDir, found))) {
    throw new MachineError('STATE', `the image ${name} is not built yet`)
  }
  return found
}
