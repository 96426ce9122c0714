import { installCommand, installMissing, missingPackages } from '@sandglass/machines/local'
import type { Tell } from '../engine-definition.ts'

/** Installs the Debian packages that machines need. Throws if a required one is missing and cannot be installed. */
export async function installPackages(tell: Tell): Promise<void> {
  const missing = missingPackages()
  if (missing.length === 0) return
  const command = installCommand(missing)
  const areOnlyOptionalMissing = () => missingPackages().every(({ isOptional }) => isOptional)
  if (process.getuid?.() !== 0) {
    if (areOnlyOptionalMissing()) return
    throw new Error(`Debian packages are missing. To install them, run: sudo ${command}`)
  }
  tell(`Installing Debian packages: ${missing.map(({ name }) => name).join(', ')}.`)
  await installMissing().catch(cause => {
    if (areOnlyOptionalMissing()) return
    throw new Error(`Debian packages could not be installed. Run: apt-get update && ${command}`, { cause })
  })
}
