import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createWhole, readJson, replaceWhole } from './state-files.ts'

export interface QuarantineRecord {
  readonly reason: string
  readonly since: string
}

/** What is known of each device, in files: it outlives the service, and two processes agree on it. */
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

  /** False where somebody has it. */
  claim(address: string, holder: string): Promise<boolean> {
    return createWhole(fileIn(this.#claims, address), holder)
  }

  async release(address: string): Promise<void> {
    await rm(fileIn(this.#claims, address), { force: true })
  }

  isClaimed(address: string): boolean {
    return existsSync(fileIn(this.#claims, address))
  }

  /** Also of a device that no pool names any more. */
  async heldBy(holder: string): Promise<string | undefined> {
    for (const name of await readdir(this.#claims))
      if ((await readFile(join(this.#claims, name), 'utf8').catch(() => '')) === holder)
        return decodeURIComponent(name)
    return undefined
  }

  async putAway(address: string, reason: string): Promise<void> {
    const known = await readJson(fileIn(this.#quarantine, address))
    const since = isQuarantine(known) ? known.since : new Date().toISOString()
    await replaceWhole(fileIn(this.#quarantine, address), JSON.stringify({ reason, since }))
  }

  async putBack(address: string): Promise<void> {
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
