import type { Engine, EngineScope, MachineOwner } from '@sandglass/machines/contract'
import type { EngineSetup, ExistingEngine, Tell } from '../engines/engine-definition.ts'
import { isMadeFor } from '../placement/ownership.ts'

/** A machine, a saved disk or a volume of a data directory. */
export interface Found {
  readonly kind: 'machine' | 'saved disk' | 'volume'
  readonly id: string
  readonly owner?: MachineOwner | undefined
  readonly scope: EngineScope
  /** What people read about it in a list, such as its state. */
  readonly details: readonly string[]
  remove(): Promise<void>
}

/** What a data directory contains, regardless of which database it belongs to. */
export interface FoundHere {
  readonly machines: readonly Found[]
  /** Finds what outlives machines: the disks of images, snapshots and build steps, and volumes. */
  kept(): Promise<Found[]>
  /**
   * Removes what all machines of this host share: network, control groups, mounts. The machines must have been destroyed.
   * Returns false if no engine has anything of that kind.
   */
  removeHostResources(): Promise<boolean>
  close(): Promise<void>
}

/**
 * Finds the machines of a data directory, and what outlives them. On an engine that several nodes share, it skips what
 * belongs to other nodes and may be in use.
 */
export async function findHere(
  setups: readonly EngineSetup[],
  nodeId: string,
  tell: Tell,
): Promise<FoundHere> {
  const found = await Promise.all(setups.map(setup => setup.findExisting(tell)))
  const existing = found.filter(one => one !== undefined)
  return {
    machines: (await Promise.all(existing.map(one => machinesOf(one, nodeId)))).flat(),
    kept: async () => (await Promise.all(existing.map(({ engine }) => keptBy(engine, nodeId)))).flat(),
    removeHostResources: async () => {
      for (const { removeHostResources } of existing) await removeHostResources?.()
      return existing.some(({ removeHostResources }) => removeHostResources)
    },
    close: async () => {
      for (const { engine } of existing) await engine.close()
    },
  }
}

async function machinesOf({ engine, madeFrom }: ExistingEngine, nodeId: string): Promise<Found[]> {
  return await Promise.all(
    own(engine, nodeId, await engine.list()).map(
      async ({ id, owner, handle, image }): Promise<Found> => ({
        kind: 'machine',
        id,
        owner,
        scope: engine.scope,
        details: [(await engine.inspect(handle)).status, `${madeFrom} ${image ?? 'unknown'}`],
        remove: () => engine.destroy(handle),
      }),
    ),
  )
}

async function keptBy(engine: Engine, nodeId: string): Promise<Found[]> {
  const { scope, snapshots, volumes } = engine
  const disks = own(engine, nodeId, (await snapshots?.list()) ?? []).map(
    ({ id, owner, handle, sizeMiB }): Found => ({
      kind: 'saved disk',
      id,
      owner,
      scope,
      details: ['saved disk', `${sizeMiB} MiB`],
      remove: async () => snapshots?.remove(handle),
    }),
  )
  const folders = own(engine, nodeId, (await volumes?.list()) ?? []).map(
    ({ id, owner, handle, usedMiB }): Found => ({
      kind: 'volume',
      id,
      owner,
      scope,
      details: ['volume', usedMiB === undefined ? 'size unknown' : `${Math.ceil(usedMiB)} MiB used`],
      remove: async () => volumes?.remove(handle),
    }),
  )
  return [...disks, ...folders]
}

function own<T extends Pick<Found, 'owner'>>(
  { scope }: Pick<Engine, 'scope'>,
  nodeId: string,
  listed: readonly T[],
): readonly T[] {
  return scope === 'node' ? listed : listed.filter(({ owner }) => owner && isMadeFor(nodeId, owner))
}
