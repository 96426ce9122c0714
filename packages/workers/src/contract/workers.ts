import type { Engine, MachineHandle } from '@sandglass/machines/contract'
import type { PictureConverter, RawPictures } from './capture.ts'
import type { RunningMachine } from './running-machine.ts'

/** The processes that talk to machines, or this process in their place. */
export interface Workers extends PictureConverter, RawPictures {
  /**
   * Opens a running machine, as `Engine.open` does. `tenant` is whose machine it is; a warm machine of a shape has none
   * yet.
   */
  open(engine: Engine, handle: MachineHandle, tenant?: string): Promise<RunningMachine>
  /** Starts what the first machine would wait for. */
  warm(): void
  /** Starts what a machine of this tenant would wait for, while the machine is being made. */
  prepare(tenant?: string): void
  close(): Promise<void>
}
