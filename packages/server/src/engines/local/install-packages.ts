import {
  type DebianPackage,
  debianPackages,
  hasGvisor,
  installCommand,
  installGvisor,
  installMissing,
  missingPackages,
} from '@sandglass/machines/local'
import type { Tell } from '../engine-definition.ts'

/**
 * Installs Debian packages: those that machines need, or others. Throws if a required one is missing and cannot be
 * installed.
 */
export async function installPackages(
  tell: Tell,
  wanted: readonly DebianPackage[] = debianPackages,
): Promise<void> {
  const missing = missingPackages(wanted)
  if (missing.length === 0) return
  const command = installCommand(missing)
  const areOnlyOptionalMissing = () => missingPackages(wanted).every(({ isOptional }) => isOptional)
  if (process.getuid?.() !== 0) {
    if (areOnlyOptionalMissing()) return
    throw new Error(`Debian packages are missing. To install them, run: sudo ${command}`)
  }
  tell(`Installing Debian packages: ${missing.map(({ name }) => name).join(', ')}.`)
  await installMissing(wanted).catch(cause => {
    if (areOnlyOptionalMissing()) return
    throw new Error(`Debian packages could not be installed. Run: apt-get update && ${command}`, { cause })
  })
}

/** Installs gVisor, which only some installations use. Doctor reports it if that is not possible. */
export async function installRunsc(tell: Tell): Promise<void> {
  if (process.getuid?.() !== 0 || (await hasGvisor())) return
  tell('Installing gVisor (runsc) from Debian 13.')
  await installGvisor().catch(error => tell(`gVisor could not be installed: ${error}`))
}
