import type { Engine, ListedMachine, MachineStatus } from '@sandglass/machines/contract'
import type { EngineSetup, ExistingEngine, Tell } from '../engines/engine-definition.ts'
import { isMadeFor } from '../placement/ownership.ts'

export interface MachineHere extends ListedMachine {
  readonly engine: Engine
  readonly status: MachineStatus
  readonly madeFrom: string
}

/** The machines of a data directory, regardless of which database they belong to. */
export interface MachinesHere {
  readonly machines: readonly MachineHere[]
  /**
   * Removes what all machines of this host share: network, control groups, mounts. The machines must have been destroyed.
   * Returns false if no engine has anything of that kind.
   */
  removeHostResources(): Promise<boolean>
  close(): Promise<void>
}

/**
 * Finds the machines of a data directory. On an engine that several nodes share, it skips machines of other nodes,
 * which may be in use.
 */
export async function findMachines(
  setups: readonly EngineSetup[],
  nodeId: string,
  tell: Tell,
): Promise<MachinesHere> {
  const found = await Promise.all(setups.map(setup => setup.findExisting(tell)))
  const existing = found.filter(one => one !== undefined)
  return {
    machines: (await Promise.all(existing.map(one => machinesOf(one, nodeId)))).flat(),
    removeHostResources: async () => {
      for (const { removeHostResources } of existing) await removeHostResources?.()
      return existing.some(({ removeHostResources }) => removeHostResources)
    },
    close: async () => {
      for (const { engine } of existing) await engine.close()
    },
  }
}

async function machinesOf({ engine, madeFrom }: ExistingEngine, nodeId: string): Promise<MachineHere[]> {
  const listed = await engine.list()
  const own =
    engine.scope === 'node' ? listed : listed.filter(({ owner }) => owner && isMadeFor(nodeId, owner))
  return await Promise.all(
    own.map(async machine => {
      const { status } = await engine.inspect(machine.handle)
      return { ...machine, engine, madeFrom, status }
    }),
  )
}
