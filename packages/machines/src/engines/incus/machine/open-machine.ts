import type { MachineHandle } from '../../../contract/handle.ts'
import type { Machine } from '../../../contract/machine.ts'
import type { ScreenSize } from '../../../contract/spec.ts'
import { LocalMachine } from '../../local/local-machine.ts'
import { KeptWatch } from './kept-watch.ts'
import { MuxGuest, type Way } from './mux-guest.ts'

/** A running machine of a cluster, and the way to it. */
export interface ClusterMachine extends Way {
  readonly handle: MachineHandle
  readonly screenSize: ScreenSize
  readonly onClose: () => void
}

/** Connects to a machine of a cluster, in whichever process has a way to it. */
export async function openClusterMachine(machine: ClusterMachine): Promise<Machine> {
  const { handle, screenSize, onClose } = machine
  const guest = new MuxGuest(machine)
  try {
    const watch = await KeptWatch.open(guest)
    return await LocalMachine.open({ handle, screenSize }, guest, onClose, watch)
  } catch (error) {
    guest.close()
    throw error
  }
}
