/**
 * Machines that are being created or restarted. Their sandbox is RUNNING a moment before the machine is watched, so
 * callers wait for this.
 */
export class Arrivals {
  readonly #arriving = new Map<string, Promise<void>>()

  has(id: string): boolean {
    return this.#arriving.has(id)
  }

  /** Waits until a machine that is being created or restarted is available or has failed. Returns false if it is neither. */
  async wait(id: string): Promise<boolean> {
    const arriving = this.#arriving.get(id)
    await arriving
    return arriving !== undefined
  }

  track(id: string, work: Promise<void>): Promise<void> {
    const settled = work
      .catch(() => {})
      .finally(() => {
        if (this.#arriving.get(id) === settled) this.#arriving.delete(id)
      })
    this.#arriving.set(id, settled)
    return work
  }
}
