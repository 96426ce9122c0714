import type { DeviceStream } from '@sandglass/machines/adb'
import type { Json, Machine, MachineHandle } from '@sandglass/machines/contract'

/** What a worker has to open a machine that is not on this host. */
export interface ReachedMachine {
  readonly handle: MachineHandle
  /** The details and the file of `MachineReach`. */
  readonly details: Json
  readonly file: Uint8Array | undefined
  dial(): Promise<DeviceStream>
  /** Tells the operator something about the machine. */
  tell(line: string): void
}

/** How machines are opened that are not on this host, by the name of their engine. Code that few need is loaded when needed. */
export const openers: Readonly<Record<string, (machine: ReachedMachine) => Promise<Machine>>> = {
  adb: async machine => (await import('./open-reached-phone.ts')).openReachedPhone(machine),
  incus: async machine => (await import('./open-reached-cluster.ts')).openReachedCluster(machine),
}
