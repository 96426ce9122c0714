import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createAtomically, readJson, replaceAtomically } from './atomic-files.ts'

export interface QuarantineRecord {
  readonly reason: string
  readonly since: string
}

/**
 * The claims and the quarantine of devices, kept in files so that they survive a restart and are shared between
 * processes.
 */
export class DeviceState {
  readonly #claims: string
  readonly #quarantine: string

  private constructor(dataDir: string) {
    this.#claims = join(dataDir, 'claims')
    this.#quarantine = join(dataDir, 'quarantine')
  }

  static async open(dataDir: string): Promise<DeviceState> {
    const state = new DeviceState(dataDir)
    for (const folder of [state.#claims, state.#quarantine])
      await mkdir(folder, { recursive: true, mode: 0o700 })
    return state
  }

  /** Returns false if the device is already claimed. */
  claim(address: string, holder: string): Promise<boolean> {
    return createAtomically(fileIn(this.#claims, address), holder)
  }

  async release(address: string): Promise<void> {
    await rm(fileIn(this.#claims, address), { force: true })
  }

  isClaimed(address: string): boolean {
    return existsSync(fileIn(this.#claims, address))
  }

  /** Finds a device by its holder, even if no pool names the device any more. */
  async heldBy(holder: string): Promise<string | undefined> {
    for (const name of await readdir(this.#claims))
      if ((await readFile(join(this.#claims, name), 'utf8').catch(() => '')) === holder)
        return decodeURIComponent(name)
    return undefined
  }

  async quarantine(address: string, reason: string): Promise<void> {
    const known = await readJson(fileIn(this.#quarantine, address))
    const since = isQuarantine(known) ? known.since : new Date().toISOString()
    await replaceAtomically(fileIn(this.#quarantine, address), JSON.stringify({ reason, since }))
  }

  async endQuarantine(address: string): Promise<void> {
    await rm(fileIn(this.#quarantine, address), { force: true })
  }

  quarantineOf(address: string): QuarantineRecord | undefined {
    try {
      const read: unknown = JSON.parse(readFileSync(fileIn(this.#quarantine, address), 'utf8'))
      return isQuarantine(read)
        ? read
        : { reason: 'its record cannot be read', since: new Date(0).toISOString() }
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
      return { reason: 'its record cannot be read', since: new Date(0).toISOString() }
    }
  }

  isFree(address: string): boolean {
    return !this.isClaimed(address) && this.quarantineOf(address) === undefined
  }
}

const fileIn = (folder: string, address: string) => join(folder, encodeURIComponent(address))

function isQuarantine(value: unknown): value is QuarantineRecord {
  return (
    typeof value === 'object' &&
    value !== null &&
    'reason' in value &&
    typeof value.reason === 'string' &&
    'since' in value &&
    typeof value.since === 'string'
  )
}
