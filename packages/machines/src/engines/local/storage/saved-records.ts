import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { MachineError } from '../../../contract/errors.ts'
import type { MachineOwner } from '../../../contract/spec.ts'
import { diskName, savedDisks } from '../machine-paths.ts'
import type { Settings } from '../options.ts'
import type { Lower } from '../records.ts'

/** The persistent record of a saved disk. */
export interface SavedRecord {
  readonly version: 1
  readonly id: string
  readonly owner?: MachineOwner
  /** The name of the image, and the folder and the lower layer of the machine that it was saved from. */
  readonly imageName: string
  readonly image: string
  readonly lower: Lower
  /** The first of the user ids that own the files on it. */
  readonly base: number
  readonly diskMiB: number
  /** False until everything was saved. */
  readonly complete: boolean
}

type Identified = Pick<SavedRecord, 'id'>

export const savedDiskPath = (settings: Pick<Settings, 'disksDir'>, id: string): string =>
  join(savedDisks(settings), diskName(id))

const recordPath = ({ savedDir }: Settings, id: string) => join(savedDir, `${id}.json`)

/** Creating the record claims the id. */
export async function claimSaved<Kind extends Identified = SavedRecord>(
  settings: Settings,
  record: Kind,
): Promise<void> {
  await mkdir(settings.savedDir, { recursive: true, mode: 0o700 })
  await mkdir(savedDisks(settings), { recursive: true, mode: 0o700 })
  try {
    await writeFile(recordPath(settings, record.id), JSON.stringify(record), { flag: 'wx' })
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause
    throw new MachineError('STATE', `a snapshot ${record.id} exists already`, { cause })
  }
}

export async function writeSaved<Kind extends Identified = SavedRecord>(
  settings: Settings,
  record: Kind,
): Promise<void> {
  const path = recordPath(settings, record.id)
  await writeFile(`${path}.new`, JSON.stringify(record))
  await rename(`${path}.new`, path)
}

/** Undefined if there is none, or one of which nothing was written before a crash. */
export async function readSaved<Kind = SavedRecord>(
  settings: Settings,
  id: string,
): Promise<Kind | undefined> {
  try {
    return JSON.parse(await readFile(recordPath(settings, id), 'utf8')) as Kind
  } catch {
    return undefined
  }
}

/** Removes a saved disk, in whatever state it is. The record goes last, so that an interrupted removal can be repeated. */
export async function removeSaved(settings: Settings, id: string): Promise<void> {
  const disk = savedDiskPath(settings, id)
  await rm(`${disk}.part`, { force: true })
  await rm(disk, { force: true })
  await rm(`${recordPath(settings, id)}.new`, { force: true })
  await rm(recordPath(settings, id), { force: true })
}

export async function listSaved(settings: Settings): Promise<string[]> {
  const names = await readdir(settings.savedDir).catch(() => [])
  return names.filter(name => name.endsWith('.json')).map(name => basename(name, '.json'))
}
