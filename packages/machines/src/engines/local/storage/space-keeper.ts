import type { Settings } from '../options.ts'
import { isVolume, makeSpace } from './disk-volume.ts'

const everyMs = 2000
/** More than machines write between two looks. */
const freeMiB = 4096

/**
 * Keeps some of the volume free if more was promised than it has, because machines write without asking. It grows as long as
 * the host has space beside its reserve.
 */
export class SpaceKeeper {
  readonly #settings: Settings
  #timer: NodeJS.Timeout | undefined

  constructor(settings: Settings) {
    this.#settings = settings
    if (settings.diskOvercommit > 1 && isVolume(settings))
      this.#timer = setInterval(() => void this.#look(), everyMs).unref()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #look(): Promise<void> {
    // A host that is full refuses creates and writes, with a reason.
    await makeSpace(this.#settings, freeMiB).catch(() => {})
  }
}
