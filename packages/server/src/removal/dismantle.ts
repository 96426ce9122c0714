import { existsSync } from 'node:fs'
import { DataDirectory, DataDirectoryInUse } from '../data-directory.ts'
import type { EngineSetup, Tell } from '../engines/engine-definition.ts'
import { handedOutIn, leftAloneIn } from '../machines/machine-marks.ts'
import type { Settings } from '../settings.ts'
import { type Found, type FoundHere, findHere } from './find-here.ts'
import { findUnclaimed } from './unclaimed-here.ts'

export interface Choices {
  /** Remove what was found instead of only listing it. */
  readonly yes: boolean
  /** Include only machines, saved disks and volumes that the database does not know. */
  readonly unclaimed: boolean
}

/**
 * Lists the machines of the data directory, or everything there that the database does not know, and removes it if `yes` is set.
 * Returns false if something could not be removed.
 */
export async function dismantle(
  settings: Settings,
  engines: readonly EngineSetup[],
  { yes, unclaimed }: Choices,
  tell: Tell,
): Promise<boolean> {
  await using undo = new AsyncDisposableStack()
  const data = await lock(settings.SANDGLASS_DATA)
  undo.defer(() => data.release())
  const here = await findHere(engines, await data.nodeId(), tell)
  undo.defer(() => here.close())
  const found = unclaimed ? await onlyUnclaimed(settings, data, here, tell) : here.machines
  const what = unclaimed ? 'machines, saved disks or volumes' : 'machines'
  if (found.length === 0) tell(`No ${what} to destroy in ${data.path}.`)
  else tell(`${unclaimed ? 'What the database does not know' : 'Machines'} in ${data.path}:`)
  for (const one of found) tell(`  ${describe(one)}`)
  if (!yes) {
    if (found.length > 0)
      tell(
        `Nothing was changed. To destroy ${found.length === 1 ? 'it' : `all ${found.length}`} and all files inside: npm run dismantle -- ${unclaimed ? '--unclaimed ' : ''}--yes`,
      )
    return true
  }
  if (!(await remove(data, found, tell))) return false
  if (!unclaimed && (await here.removeHostResources()))
    tell('The network, cgroups and mounts of the machines were removed as well.')
  tell(
    unclaimed
      ? 'Everything else was kept.'
      : 'The database, keys, screenshots, images, snapshots and volumes were kept.',
  )
  return true
}

async function lock(path: string): Promise<DataDirectory> {
  if (!existsSync(path))
    throw new Error(`There is no data directory ${path}; set SANDGLASS_DATA to the right one.`)
  try {
    return await DataDirectory.lock(path)
  } catch (error) {
    if (!(error instanceof DataDirectoryInUse)) throw error
    throw new Error(`The service (process ${error.pid}) is running in ${path}. Stop it and try again.`)
  }
}

/** Machines come first, because a volume cannot be removed while a machine has it. */
async function onlyUnclaimed(
  settings: Settings,
  data: DataDirectory,
  here: FoundHere,
  tell: Tell,
): Promise<readonly Found[]> {
  const all = [...here.machines, ...(await here.kept())]
  const { found, installation, database } = await findUnclaimed(settings, data, all)
  const knownOf = (kind: Found['kind']) => {
    const count = (some: readonly Found[]) => some.filter(one => one.kind === kind).length
    return `${count(all) - count(found)} of ${count(all)} ${kind}s`
  }
  tell(`The database (${database}) is installation ${installation}.`)
  tell(`It knows ${knownOf('machine')}, ${knownOf('saved disk')} and ${knownOf('volume')}, which are kept.`)
  return found
}

function describe({ id, details, owner }: Found): string {
  const origin = owner ? `installation ${owner.installation}` : 'installation unknown'
  return [id, ...details, origin].join('  ')
}

async function remove(data: DataDirectory, found: readonly Found[], tell: Tell): Promise<boolean> {
  const marks = [handedOutIn(data.path), leftAloneIn(data.path)]
  let left = 0
  for (const [index, one] of found.entries()) {
    const progress = `  ${index + 1} of ${found.length}: ${one.id}`
    try {
      await one.remove()
      for (const mark of marks) mark.delete(one.id)
      tell(`${progress} destroyed.`)
    } catch (error) {
      left++
      tell(`${progress} could not be destroyed: ${error instanceof Error ? error.message : error}`)
    }
  }
  if (left > 0) tell(`${left} of ${found.length} are left. Run this again, or see the reasons above.`)
  return left === 0
}
