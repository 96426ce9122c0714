import type { MachineHandle } from '@sandglass/machines/contract'
import type { RunningMachine } from '@sandglass/workers/contract'

type Opened = PromiseSettledResult<RunningMachine>

/** Opens a new machine as soon as it can be opened, which is while its desktop still starts. */
export class Opening {
  readonly #open: (handle: MachineHandle) => Promise<RunningMachine>
  #early: Promise<Opened> | undefined

  constructor(open: (handle: MachineHandle) => Promise<RunningMachine>) {
    this.#open = open
  }

  /** Begins early. What comes of it is learned from {@link finish}. */
  begin(handle: MachineHandle): void {
    this.#early ??= settled(this.#open(handle))
  }

  /** Call this when the machine has been created. An attempt that failed because it began too early is repeated. */
  async finish(handle: MachineHandle): Promise<Opened> {
    const early = await this.#early
    return early?.status === 'fulfilled' ? early : await settled(this.#open(handle))
  }

  /** Closes what was opened of a machine that could not be created. */
  async drop(): Promise<void> {
    const early = await this.#early
    if (early?.status === 'fulfilled') early.value.close()
  }
}

async function settled(opening: Promise<RunningMachine>): Promise<Opened> {
  const [outcome] = await Promise.allSettled([opening])
  return outcome
}
