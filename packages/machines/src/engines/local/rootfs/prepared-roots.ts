import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hostRoom, promisableMiB, roomFor } from '../host/host-room.ts'
import { startTimeOf } from '../oci/init-process.ts'
import type { Settings } from '../options.ts'
import { preparedPlaces } from '../places.ts'
import { type PreparedRoot, prepareRoot, type RootKind, removePreparedRoot } from './prepared-root.ts'
import { isLaid } from './rootfs.ts'

/** Kept of each kind, and how many kinds: those asked for last. */
const keptOfKind = 2
const keptKinds = 2

interface Stock {
  readonly kind: RootKind
  readonly roots: PreparedRoot[]
}

const keyOf = ({ lower, diskMiB }: RootKind) => JSON.stringify([lower.folder, lower.mapped, diskMiB])

/**
 * A small stock of disks that are formatted and roots that are mounted ahead, so that a create only renames one into
 * its place; no process runs in them. It is filled while no machine is being made. A prepared root costs a loop
 * device, two mounts, an index and some hundred kilobytes of disk. Each is named after the process that made it: what
 * a dead one left is taken away by the next engine of the data directory.
 */
export class PreparedRoots {
  readonly #settings: Settings
  readonly #stocks = new Map<string, Stock>()
  /** Taken out of a stock and good for nothing. */
  readonly #spoilt: PreparedRoot[] = []
  #creates = 0
  #closed = false
  #filling: Promise<void> | undefined
  #cleared: Promise<void> = Promise.resolve()
  #swept: Promise<void> | undefined

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** Does the work while nothing is prepared beside it; asks for the next of its kind when it went well. */
  async during<T>(kind: RootKind, create: () => Promise<T>): Promise<T> {
    this.#creates++
    try {
      const result = await create()
      this.#want(kind)
      return result
    } finally {
      if (--this.#creates === 0) this.#fill()
    }
  }

  /** One of this kind, from now on the caller's to give or to remove. */
  take(kind: RootKind): PreparedRoot | undefined {
    const roots = this.#stocks.get(keyOf(kind))?.roots ?? []
    for (let root = roots.shift(); root; root = roots.shift()) {
      if (isLaid(preparedPlaces(this.#settings, root.name))) return root
      this.#spoilt.push(root)
    }
    return undefined
  }

  /** Settles when the stock of this kind is full, or cannot be filled now. */
  async stockUp(kind: RootKind): Promise<void> {
    this.#want(kind)
    this.#fill()
    await this.#filling
  }

  /** Takes away what is in stock, one call after the other, so that its indexes are free when this settles. */
  clear(): Promise<void> {
    this.#cleared = this.#cleared.catch(() => {}).then(() => this.#clear())
    return this.#cleared
  }

  async #clear(): Promise<void> {
    await this.#filling
    const stocked = [...this.#stocks.values()].flatMap(stock => stock.roots.splice(0))
    for (const { name } of [...stocked, ...this.#spoilt.splice(0)]) {
      await removePreparedRoot(this.#settings, name)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.clear()
  }

  /** Takes away what processes that have ended left: done once, tried again after a failure. */
  sweep(): Promise<void> {
    if (!this.#swept) {
      this.#swept = removeEach(this.#settings, hasNoOwner)
      this.#swept.catch(() => {
        this.#swept = undefined
      })
    }
    return this.#swept
  }

  /** Whoever made them. */
  async removeAll(): Promise<void> {
    await this.close()
    await removeEach(this.#settings, async () => true)
  }

  #want(kind: RootKind): void {
    const key = keyOf(kind)
    const stock = this.#stocks.get(key) ?? { kind, roots: [] }
    this.#stocks.delete(key)
    this.#stocks.set(key, stock)
  }

  #fill(): void {
    if (this.#filling) return
    // A failure only means that there is none in stock; the next create asks again.
    this.#filling = this.#fillWhileIdle()
      .catch(() => {})
      .finally(() => {
        this.#filling = undefined
      })
  }

  async #fillWhileIdle(): Promise<void> {
    const mayGoOn = () => !this.#closed && this.#creates === 0
    while (mayGoOn()) {
      const [oldest] = this.#stocks
      if (oldest && this.#stocks.size > keptKinds) {
        this.#stocks.delete(oldest[0])
        for (const { name } of oldest[1].roots) await removePreparedRoot(this.#settings, name)
        continue
      }
      const short = [...this.#stocks.values()].find(({ roots }) => roots.length < keptOfKind)
      if (!short || !(await hasRoomFor(this.#settings, short.kind))) return
      if (!mayGoOn()) return
      short.roots.push(await prepareRoot(this.#settings, await newName(), short.kind))
    }
  }
}

/** Prepared roots count here: the stock must not promise what it would have to take back from the next machine. */
async function hasRoomFor(settings: Settings, { diskMiB }: RootKind): Promise<boolean> {
  const room = await hostRoom(settings)
  const promised = room.machines.promisedMiB + room.prepared.promisedMiB + diskMiB
  return roomFor(room, settings, diskMiB) > 0 && promised <= promisableMiB(room, settings)
}

async function newName(): Promise<string> {
  return `${process.pid}-${await startTimeOf(process.pid)}-${randomBytes(4).toString('hex')}`
}

async function hasNoOwner(name: string): Promise<boolean> {
  const [pid, startTime] = name.split('-')
  return (await startTimeOf(Number(pid))) !== startTime
}

export async function preparedNames(settings: Settings): Promise<string[]> {
  const folders = [settings.preparedDir, join(settings.runDir, 'prepared')]
  const names = await Promise.all(folders.map(folder => readdir(folder).catch(() => [])))
  return [...new Set(names.flat())]
}

async function removeEach(settings: Settings, which: (name: string) => Promise<boolean>): Promise<void> {
  for (const name of await preparedNames(settings)) {
    if (await which(name)) await removePreparedRoot(settings, name)
  }
}
