import type { Abortable } from './abortable.ts'
import type { MachineHandle } from './handle.ts'

/** How a machine is created. */
export interface CreateOptions extends Abortable {
  /**
   * Called when the machine can be opened although its desktop is not ready yet, so that it can be opened meanwhile. The create may
   * still fail afterwards. Engines that would gain nothing do not call it.
   */
  readonly onReachable?: (handle: MachineHandle) => void
}
