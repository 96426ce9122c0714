import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hostRoom, promisableMiB, roomFor } from '../host/host-room.ts'
import { preparedPaths } from '../machine-paths.ts'
import { startTimeOf } from '../oci/init-process.ts'
import type { Settings } from '../options.ts'
import type { Ender } from '../remove-machine.ts'
import { keyOfWaiting, startWaiting, type WaitingKind } from '../waiting-container.ts'
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
  /** What waits in each root: a container for a machine like the last one. */
  waiting: WaitingKind | undefined
  /** How many to keep. */
  size: number
  /** How many creates are under way, and the most of them since the stock was last filled. */
  creates: number
  most: number
}

const keyOf = ({ lower, diskMiB, saved }: RootKind) =>
  JSON.stringify([lower.folder, lower.mapped, diskMiB, saved?.id])

/**
 * A small pool of formatted disks, mounted roots and networks, so that a create only has to rename one. Once it is known what
 * machines are like, a container waits in each, so that a create only starts a desktop. It is filled while no machine is being created.
 * A prepared root costs a loop device, six mounts, a network namespace, an index, some hundred kilobytes of disk and, with a container,
 * the memory of an agent. Each is named after the process that created it: the next engine on the data directory removes those of
 * processes that have ended.
 */
export class PreparedRoots {
  readonly #ender: Ender
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

  constructor(ender: Ender) {
    this.#ender = ender
    this.#settings = ender.settings
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

  /** Runs `create`, and requests another root of this kind, with a container that waits for another machine like this one. */
  async during<T>(kind: RootKind, waiting: WaitingKind | undefined, create: () => Promise<T>): Promise<T> {
    const stock = this.#want(kind)
    stock.waiting = waiting ?? stock.waiting
    stock.most = Math.max(stock.most, ++stock.creates)
    try {
      return await create()
    } finally {
      stock.creates--
    }
  }

  /**
   * Takes a root of this kind out of the pool, if possible one in which a container waits for such a machine. The caller must use or
   * remove it.
   */
  take(kind: RootKind, waiting: WaitingKind | undefined): PreparedRoot | undefined {
    const roots = this.#stocks.get(keyOf(kind))?.roots ?? []
    const wanted = waiting && keyOfWaiting(waiting)
    for (;;) {
      const best =
        roots.find(root => root.waiting === wanted) ?? roots.find(root => !root.waiting) ?? roots[0]
      if (!best) return undefined
      roots.splice(roots.indexOf(best), 1)
      if (isRootReady(preparedPaths(this.#settings, best.name))) return best
      this.#unusable.push(best)
    }
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
      for (const { name } of roots) await removePreparedRoot(this.#ender, name)
    }
  }

  async #clear(): Promise<void> {
    await this.#filling
    const stocked = [...this.#stocks.values()].flatMap(stock => stock.roots.splice(0))
    for (const { name } of [...stocked, ...this.#unusable.splice(0)]) {
      await removePreparedRoot(this.#ender, name)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.clear()
  }

  /** Removes the roots of processes that have ended. It runs once, and again after a failure. */
  sweep(): Promise<void> {
    if (!this.#swept) {
      this.#swept = removeEach(this.#ender, hasNoOwner)
      this.#swept.catch(() => {
        this.#swept = undefined
      })
    }
    return this.#swept
  }

  /** Removes all prepared roots of this data directory, whoever created them. */
  async removeAll(): Promise<void> {
    await this.close()
    await removeEach(this.#ender, async () => true)
  }

  #want(kind: RootKind): Stock {
    const key = keyOf(kind)
    const stock = this.#stocks.get(key) ?? newStock(kind)
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
        for (const { name } of oldest[1].roots) await removePreparedRoot(this.#ender, name)
        continue
      }
      const stocks = [...this.#stocks.values()]
      const empty = stocks.find(({ roots, waiting }) => waiting && roots.some(root => !root.waiting))
      const short = stocks.find(({ roots, size }) => roots.length < size)
      if (empty) await this.#fillWithContainer(empty)
      else if (!short || !(await hasRoomFor(this.#settings, short.kind))) return
      else if (isIdle()) await this.#prepare(short)
    }
  }

  async #prepare({ kind, roots }: Stock): Promise<void> {
    this.#preparingMiB = kind.diskMiB
    try {
      roots.push(await prepareRoot(this.#ender, await newName(), kind))
    } finally {
      this.#preparingMiB = 0
    }
  }

  /** The root is nobody's meanwhile. If no container can be started, roots are prepared without one. */
  async #fillWithContainer(stock: Stock): Promise<void> {
    const { kind, roots, waiting } = stock
    const root = roots.find(each => !each.waiting)
    if (!root || !waiting) return
    roots.splice(roots.indexOf(root), 1)
    try {
      await startWaiting(waiting, root, kind.lower)
      roots.push({ ...root, waiting: keyOfWaiting(waiting) })
    } catch {
      stock.waiting = undefined
      await removePreparedRoot(this.#ender, root.name)
    }
  }
}

const newStock = (kind: RootKind): Stock => ({
  kind,
  roots: [],
  waiting: undefined,
  size: minRootsPerKind,
  creates: 0,
  most: 0,
})

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

async function removeEach(ender: Ender, which: (name: string) => Promise<boolean>): Promise<void> {
  for (const name of await preparedNames(ender.settings)) {
    if (await which(name)) await removePreparedRoot(ender, name)
  }
}
