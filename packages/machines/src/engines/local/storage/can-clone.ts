import { constants, copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const known = new Map<string, boolean>()

/** Whether the file system of a folder can clone files, so that a copy shares its content with the original. */
export function canClone(folder: string): boolean {
  const found = known.get(folder) ?? tryToClone(folder)
  known.set(folder, found)
  return found
}

/** A volume has been mounted there. */
export function probeAgain(folder: string): void {
  known.delete(folder)
}

function tryToClone(folder: string): boolean {
  const [one, other] = [join(folder, 'clone-probe'), join(folder, 'clone-probe.copy')]
  try {
    writeFileSync(one, 'probe')
    copyFileSync(one, other, constants.COPYFILE_FICLONE_FORCE)
    return true
  } catch {
    return false
  } finally {
    rmSync(one, { force: true })
    rmSync(other, { force: true })
  }
}
