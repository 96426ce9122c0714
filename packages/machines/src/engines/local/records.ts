import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MachineError } from '../../contract/errors.ts'
import type { MachineSpec } from '../../contract/spec.ts'
import type { UidRange } from './oci/uid-ranges.ts'
import type { Settings } from './options.ts'
import { placesOf } from './places.ts'

export interface Lower {
  readonly folder: string
  readonly mapped: boolean
}

/** What is kept of a machine: enough to run it again, or to take it away, by a service that never saw it. */
export interface MachineRecord {
  readonly version: 1
  readonly spec: MachineSpec
  /** Distinct among the engine's machines; its address, link and uid range follow from it. */
  readonly index: number
  /** The folder of the image under `imagesDir`. */
  readonly image: string
  /** What its root lies on: that folder with mapped owners, or a copy of it that belongs to the shared range. */
  readonly lower: Lower
  readonly range: UidRange
  /** False until the desktop was up once. */
  readonly complete: boolean
}

export async function readRecord(settings: Settings, id: string): Promise<MachineRecord | undefined> {
  try {
    return JSON.parse(await readFile(placesOf(settings, id).record, 'utf8')) as MachineRecord
  } catch {
    return undefined
  }
}

export async function writeRecord(settings: Settings, record: MachineRecord): Promise<void> {
  const { record: path } = placesOf(settings, record.spec.id)
  await writeFile(`${path}.new`, JSON.stringify(record))
  await rename(`${path}.new`, path)
}

/** The folder is the claim: whoever makes it owns the id. */
export async function claimId(settings: Settings, id: string): Promise<void> {
  await mkdir(settings.machinesDir, { recursive: true, mode: 0o700 })
  try {
    await mkdir(placesOf(settings, id).home, { mode: 0o700 })
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause
    throw new MachineError('STATE', `a machine ${id} exists already; destroy it or choose another id`, {
      cause,
    })
  }
}

/**
 * Claims the lowest free index by a file of that name, which holds across processes and names its holder from the
 * first moment: a link, because a file that is opened and then written is empty in between.
 */
export async function claimIndex(settings: Settings, holder: string, home: string): Promise<number> {
  const folder = indexFolder(settings)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const claim = join(home, 'index')
  await writeFile(claim, holder)
  const taken = new Set(await readdir(folder))
  for (let index = 0; index < settings.maxMachines; index++) {
    if (taken.has(String(index))) continue
    try {
      await link(claim, join(folder, String(index)))
      return index
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
  throw new MachineError('NO_CAPACITY', `this engine runs ${settings.maxMachines} machines at the most`)
}

/** From one holder to another, at no moment free. */
export async function passIndex(
  settings: Settings,
  index: number,
  holder: string,
  home: string,
): Promise<void> {
  const claim = join(home, 'index')
  await writeFile(claim, holder)
  await rename(claim, join(indexFolder(settings), String(index)))
}

/** Found by what is in the files, so that an index claimed just before a crash is released too. */
export async function releaseIndex(settings: Settings, id: string): Promise<void> {
  const folder = indexFolder(settings)
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    if ((await readFile(path, 'utf8').catch(() => '')) === id) await rm(path, { force: true })
  }
}

export async function listIds(settings: Settings): Promise<string[]> {
  return await readdir(settings.machinesDir).catch(() => [])
}

const indexFolder = (settings: Settings) => join(settings.dataDir, 'indexes')
