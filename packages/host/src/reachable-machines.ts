import type { CreateOptions, MachineHandle } from '@sandglass/machines/contract'

type OnReachable = NonNullable<CreateOptions['onReachable']>

/** Who wants to know when a machine that the host creates can be opened. */
export class ReachableMachines {
  readonly #waiting = new Map<string, OnReachable>()

  /** Creates a machine, and calls back if the host says meanwhile that it can be opened. */
  async during<T>(id: string, onReachable: OnReachable | undefined, create: () => Promise<T>): Promise<T> {
    if (!onReachable || this.#waiting.has(id)) return await create()
    this.#waiting.set(id, onReachable)
    try {
      return await create()
    } finally {
      this.#waiting.delete(id)
    }
  }

  tell(id: string, handle: MachineHandle): void {
    this.#waiting.get(id)?.(handle)
  }
}
