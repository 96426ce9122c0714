import type { Engine, ListedMachine, MachineStatus } from '@sandglass/machines/contract'
import { existingLocalEngine, type Tell } from '../local-engines.ts'
import { existingPhoneEngine } from '../phone-engines.ts'
import type { Settings } from '../settings.ts'

export interface MachineHere extends ListedMachine {
  readonly engine: Engine
  readonly status: MachineStatus
}

/** The machines of a data directory, whatever database they belong to. */
export interface MachinesHere {
  readonly machines: readonly MachineHere[]
  /**
   * Removes what all machines of this box stood on: network, control groups, mounts. The machines have to be gone.
   * Undefined where there never were machines on this box.
   */
  readonly removeFoundations?: () => Promise<void>
  close(): Promise<void>
}

export async function findMachines(settings: Settings, tell: Tell): Promise<MachinesHere> {
  const local = existingLocalEngine(settings)
  const phones = await existingPhoneEngine(settings, tell)
  const machines: MachineHere[] = []
  for (const engine of [local, phones])
    for (const machine of (await engine?.list()) ?? [])
      if (engine) machines.push({ ...machine, engine, ...(await engine.inspect(machine.handle)) })
  return {
    machines,
    ...(local && { removeFoundations: () => local.dismantle() }),
    close: async () => {
      await phones?.close()
      await local?.close()
    },
  }
}
