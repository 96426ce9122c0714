import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hostRoom, promisableMiB, roomFor } from '../host/host-room.ts'
import { preparedPaths } from '../machine-paths.ts'
import { startTimeOf } from '../oci/init-process.ts'
import type { Settings } from '../options.ts'
import { type PreparedRoot, prepareRoot, type RootKind, removePreparedRoot } from './prepared-root.ts'
import { isRootReady } from './rootfs.ts'

/**
 * How many roots are kept per kind: as many as were lately requested at once, within these limits. And how many kinds:
 * those that were requested last.
 */
const minRootsPerKind = 2
export const maxRootsPerKind = 32
const maxKinds = 2
/**
 * The stock is filled this long after the last create. A machine is opened right after its creation, and starting a process
 * stops this one for some milliseconds.
 */
const fillDelayMs = 20

interface Stock {
  readonly kind: RootKind
  readonly roots: PreparedRoot[]
  /** How many to keep. */
  size: number
  /** How many creates are under way, and the most of them since the stock was last filled. */
  creates: number
  most: number
}

const keyOf = ({ lower, diskMiB, saved }: RootKind) =>
  JSON.stringify([lower.folder, lower.mapped, diskMiB, saved?.id])

/**
 * A small pool of formatted disks, mounted roots and networks, so that a create only has to rename one; no process runs
 * in them. It is filled while no machine is being created. A prepared root costs a loop device, six mounts, a network
 * namespace, an index and some hundred kilobytes of disk. Each is named after the process that created it: the next engine on the data
 * directory removes those of processes that have ended.
 */
export class PreparedRoots {
  readonly #settings: Settings
  readonly #stocks = new Map<string, Stock>()
  /** Roots that were taken from a stock but turned out to be unusable. */
  readonly #unusable: PreparedRoot[] = []
  #creates = 0
  #preparingMiB = 0
  #closed = false
  #filling: Promise<void> | undefined
  #cleared: Promise<void> = Promise.resolve()
  #swept: Promise<void> | undefined

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** What the root that is being prepared now will be promised. It may show on the disk already. */
  get preparingMiB(): number {
    return this.#preparingMiB
  }

  /** Runs the work, from the admission of a machine to its creation, while no further root is prepared. */
  async pausedWhile<T>(create: () => Promise<T>): Promise<T> {
    this.#creates++
    try {
      return await create()
    } finally {
      if (--this.#creates === 0) setTimeout(() => this.#fill(), fillDelayMs).unref()
    }
  }

  /** Runs `create`, and requests another root of this kind. */
  async during<T>(kind: RootKind, create: () => Promise<T>): Promise<T> {
    const stock = this.#want(kind)
    stock.most = Math.max(stock.most, ++stock.creates)
    try {
      return await create()
    } finally {
      stock.creates--
    }
  }

  /** Takes a root of this kind out of the pool. The caller must use or remove it. */
  take(kind: RootKind): PreparedRoot | undefined {
    const roots = this.#stocks.get(keyOf(kind))?.roots ?? []
    for (let root = roots.shift(); root; root = roots.shift()) {
      if (isRootReady(preparedPaths(this.#settings, root.name))) return root
      this.#unusable.push(root)
    }
    return undefined
  }

  /** Resolves when the stock of this kind is full, or cannot be filled now. */
  async stockUp(kind: RootKind): Promise<void> {
    this.#want(kind)
    this.#fill()
    await this.#filling
  }

  /** Removes all prepared roots; concurrent calls run one after another. Their indexes are free when it resolves. */
  clear(): Promise<void> {
    this.#cleared = this.#cleared.catch(() => {}).then(() => this.#clear())
    return this.#cleared
  }

  /** Removes the roots that were prepared from a saved disk. */
  async forget(savedId: string): Promise<void> {
    await this.#filling
    for (const [key, { kind, roots }] of this.#stocks) {
      if (kind.saved?.id !== savedId) continue
      this.#stocks.delete(key)
      for (const { name } of roots) await removePreparedRoot(this.#settings, name)
    }
  }

  async #clear(): Promise<void> {
    await this.#filling
    const stocked = [...this.#stocks.values()].flatMap(stock => stock.roots.splice(0))
    for (const { name } of [...stocked, ...this.#unusable.splice(0)]) {
      await removePreparedRoot(this.#settings, name)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.clear()
  }

  /** Removes the roots of processes that have ended. It runs once, and again after a failure. */
  sweep(): Promise<void> {
    if (!this.#swept) {
      this.#swept = removeEach(this.#settings, hasNoOwner)
      this.#swept.catch(() => {
        this.#swept = undefined
      })
    }
    return this.#swept
  }

  /** Removes all prepared roots of this data directory, whoever created them. */
  async removeAll(): Promise<void> {
    await this.close()
    await removeEach(this.#settings, async () => true)
  }

  #want(kind: RootKind): Stock {
    const key = keyOf(kind)
    const stock = this.#stocks.get(key) ?? { kind, roots: [], size: minRootsPerKind, creates: 0, most: 0 }
    this.#stocks.delete(key)
    this.#stocks.set(key, stock)
    return stock
  }

  /** Follows a crowd immediately, and forgets it slowly. */
  #resize(): void {
    for (const stock of this.#stocks.values()) {
      if (stock.most === 0) continue
      stock.size = Math.min(maxRootsPerKind, Math.max(minRootsPerKind, stock.most, stock.size - 1))
      stock.most = 0
    }
  }

  #fill(): void {
    if (this.#filling) return
    // A failure only means that nothing is prepared; the next create requests it again.
    this.#filling = this.#fillWhileIdle()
      .catch(() => {})
      .finally(() => {
        this.#filling = undefined
      })
  }

  async #fillWhileIdle(): Promise<void> {
    const isIdle = () => !this.#closed && this.#creates === 0
    this.#resize()
    while (isIdle()) {
      const [oldest] = this.#stocks
      if (oldest && this.#stocks.size > maxKinds) {
        this.#stocks.delete(oldest[0])
        for (const { name } of oldest[1].roots) await removePreparedRoot(this.#settings, name)
        continue
      }
      const short = [...this.#stocks.values()].find(({ roots, size }) => roots.length < size)
      if (!short || !(await hasRoomFor(this.#settings, short.kind))) return
      if (!isIdle()) return
      await this.#prepare(short)
    }
  }

  async #prepare({ kind, roots }: Stock): Promise<void> {
    this.#preparingMiB = kind.diskMiB
    try {
      roots.push(await prepareRoot(this.#settings, await newName(), kind))
    } finally {
      this.#preparingMiB = 0
    }
  }
}

/** Includes prepared roots, because the pool must not take what the next machine would need. */
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
