import { existsSync } from 'node:fs'
import { DataDirectory, DataDirectoryInUse } from '../data-directory.ts'
import type { EngineSetup, Tell } from '../engines/engine-definition.ts'
import { handedOutIn, leftAloneIn } from '../machines/machine-marks.ts'
import type { Settings } from '../settings.ts'
import { findMachines, type MachineHere } from './machines-here.ts'
import { findUnclaimed } from './unclaimed-here.ts'

export interface Choices {
  /** Destroy the machines instead of only listing them. */
  readonly yes: boolean
  /** Include only machines that the database does not know. */
  readonly unclaimed: boolean
}

/** Lists the machines of the data directory, and destroys them if `yes` is set. Returns false if one could not be destroyed. */
export async function dismantle(
  settings: Settings,
  engines: readonly EngineSetup[],
  choices: Choices,
  tell: Tell,
): Promise<boolean> {
  await using undo = new AsyncDisposableStack()
  const data = await lock(settings.SANDGLASS_DATA)
  undo.defer(() => data.release())
  const here = await findMachines(engines, await data.nodeId(), tell)
  undo.defer(() => here.close())
  const machines = choices.unclaimed
    ? await onlyUnclaimed(settings, data, here.machines, tell)
    : here.machines
  tell(machines.length === 0 ? `No machines to destroy in ${data.path}.` : `Machines in ${data.path}:`)
  for (const machine of machines) tell(`  ${describe(machine)}`)
  if (!choices.yes) {
    if (machines.length > 0)
      tell(
        `Nothing was changed. To destroy ${machines.length === 1 ? 'it' : `all ${machines.length}`} and all files inside: npm run dismantle -- ${choices.unclaimed ? '--unclaimed ' : ''}--yes`,
      )
    return true
  }
  if (!(await destroy(data, machines, tell))) return false
  if (!choices.unclaimed && (await here.removeHostResources()))
    tell('The network, cgroups and mounts of the machines were removed as well.')
  tell('The database, keys, screenshots and images were kept.')
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

async function onlyUnclaimed(
  settings: Settings,
  data: DataDirectory,
  machines: readonly MachineHere[],
  tell: Tell,
): Promise<readonly MachineHere[]> {
  const unclaimed = await findUnclaimed(settings, data, machines)
  const known = machines.length - unclaimed.machines.length
  tell(`The database (${unclaimed.database}) is installation ${unclaimed.installation}.`)
  tell(`It knows ${known} of ${machines.length} machines, which are kept.`)
  return unclaimed.machines
}

function describe({ id, madeFrom, status, image, owner }: MachineHere): string {
  const origin = owner ? `installation ${owner.installation}` : 'installation unknown'
  return [id, status, `${madeFrom} ${image ?? 'unknown'}`, origin].join('  ')
}

async function destroy(data: DataDirectory, machines: readonly MachineHere[], tell: Tell): Promise<boolean> {
  const marks = [handedOutIn(data.path), leftAloneIn(data.path)]
  let left = 0
  for (const [index, { id, handle, engine }] of machines.entries()) {
    const progress = `  ${index + 1} of ${machines.length}: ${id}`
    try {
      await engine.destroy(handle)
      for (const mark of marks) mark.delete(id)
      tell(`${progress} destroyed.`)
    } catch (error) {
      left++
      tell(`${progress} could not be destroyed: ${error instanceof Error ? error.message : error}`)
    }
  }
  if (left > 0)
    tell(`${left} of ${machines.length} machines are left. Run this again, or see the reasons above.`)
  return left === 0
}
