import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MachineError } from '../../contract/errors.ts'
import type { MachineSpec } from '../../contract/spec.ts'
import { machinePaths } from './machine-paths.ts'
import type { UidRange } from './oci/uid-ranges.ts'
import type { Settings } from './options.ts'

export interface Lower {
  readonly folder: string
  readonly mapped: boolean
}

/** The persistent record of a machine. A service that never saw the machine can restart or remove it with this. */
export interface MachineRecord {
  readonly version: 1
  readonly spec: MachineSpec
  /** Unique among the machines of the engine. The address, the link and the uid range are derived from it. */
  readonly index: number
  /** The folder of the image under `imagesDir`. */
  readonly image: string
  /**
   * The lower layer of the root: the image with idmapped owners, or a copy of it that belongs to the shared range.
   */
  readonly lower: Lower
  readonly range: UidRange
  /** The first of the user ids that own the files on its disk, if the disk is a clone. Otherwise that of the range. */
  readonly diskBase?: number
  /** The saved disk that its own is being replaced by. Set while that happens. */
  readonly restoring?: string
  /** The command of the runtime that runs the machine. Records of earlier versions have the default of the engine. */
  readonly runtime?: string
  /** The name of its container, if that one waited for a machine. Otherwise it is the id of the machine. */
  readonly container?: string
  /** False until the desktop was ready once. */
  readonly complete: boolean
}

export async function readRecord<Kind = MachineRecord>(
  settings: Settings,
  id: string,
): Promise<Kind | undefined> {
  try {
    return JSON.parse(await readFile(machinePaths(settings, id).record, 'utf8')) as Kind
  } catch {
    return undefined
  }
}

export async function writeRecord<Kind extends Pick<MachineRecord, 'spec'> = MachineRecord>(
  settings: Settings,
  record: Kind,
): Promise<void> {
  const { record: path } = machinePaths(settings, record.spec.id)
  await writeFile(`${path}.new`, JSON.stringify(record))
  await rename(`${path}.new`, path)
}

/** Creating the folder claims the id, because only one process can create it. */
export async function claimId(settings: Settings, id: string): Promise<void> {
  await mkdir(settings.machinesDir, { recursive: true, mode: 0o700 })
  try {
    await mkdir(machinePaths(settings, id).home, { mode: 0o700 })
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause
    throw new MachineError('STATE', `a machine ${id} exists already; destroy it or choose another id`, {
      cause,
    })
  }
}

/**
 * Claims the lowest free index with a file of that name, which works across processes. The file is created by a hard
 * link, so that it names its holder from the start; a file that is created and then written would be empty in
 * between.
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
  throw new MachineError('NO_CAPACITY', `this engine runs at most ${settings.maxMachines} machines`)
}

/** Transfers an index to another holder without ever freeing it. */
export async function transferIndex(
  settings: Settings,
  index: number,
  holder: string,
  home: string,
): Promise<void> {
  const claim = join(home, 'index')
  await writeFile(claim, holder)
  await rename(claim, join(indexFolder(settings), String(index)))
}

/**
 * The index of a machine or of a prepared root. Searches the files by content, so that one which was claimed just
 * before a crash is found as well.
 */
export async function indexOf(settings: Settings, holder: string): Promise<number | undefined> {
  const folder = indexFolder(settings)
  for (const name of await readdir(folder).catch(() => [])) {
    if ((await readFile(join(folder, name), 'utf8').catch(() => '')) === holder) return Number(name)
  }
  return undefined
}

export async function releaseIndex(settings: Settings, holder: string): Promise<void> {
  for (;;) {
    const index = await indexOf(settings, holder)
    if (index === undefined) return
    await rm(join(indexFolder(settings), String(index)), { force: true })
  }
}

export async function listIds(settings: Settings): Promise<string[]> {
  return await readdir(settings.machinesDir).catch(() => [])
}

const indexFolder = (settings: Settings) => join(settings.dataDir, 'indexes')
