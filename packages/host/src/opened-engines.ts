import { type Engine, MachineError } from '@sandglass/machines/contract'
import type { LocalEngine } from '@sandglass/machines/local'
import type { ShapeOffer } from './shape-offer.ts'

/** An engine whose machines another process talks to. */
export type EngineOfHost = Engine & Pick<LocalEngine, 'reach' | 'access' | 'activity' | 'figures'>

/** An engine that is open in the host. */
export interface OpenedOnHost {
  readonly engine: EngineOfHost
  /** Settles when background preparation, such as building images, has succeeded or failed. */
  readonly prepared: Promise<void>
  /** What it adds to the catalogue of shapes now. Left out by engines that add nothing. */
  readonly offer?: () => Promise<ShapeOffer>
  close(): Promise<void>
}

/** An engine that the host can open. */
export interface HostedEngine {
  configure(): Promise<() => Promise<OpenedOnHost>>
}

/** Runs work with the engine of this name, which may not be open. */
export type UseEngine = <Result>(
  name: string,
  work: (engine: EngineOfHost) => Promise<Result>,
) => Promise<Result>

/** The engines of a host. Each is configured, opened and closed by itself, so that one that fails does not affect the others. */
export class OpenedEngines {
  readonly #lives: ReadonlyMap<string, EngineLife>

  constructor(hosted: ReadonlyMap<string, HostedEngine>) {
    this.#lives = new Map([...hosted].map(([name, engine]) => [name, new EngineLife(name, engine)]))
  }

  async configure(name: string): Promise<void> {
    await this.#find(name).configure()
  }

  async open(name: string): Promise<OpenedOnHost> {
    return await this.#find(name).open()
  }

  async prepared(name: string): Promise<void> {
    await this.#find(name).opened.prepared
  }

  async offer(name: string): Promise<ShapeOffer> {
    const { offer } = this.#find(name).opened
    if (!offer) throw new MachineError('INVALID', 'this engine adds no shapes')
    return await offer()
  }

  async use<Result>(name: string, work: (engine: EngineOfHost) => Promise<Result>): Promise<Result> {
    return await this.#find(name).use(work)
  }

  async close(name: string): Promise<void> {
    await this.#find(name).close()
  }

  /** Closes every engine, even if another one cannot be closed. */
  async closeAll(): Promise<void> {
    const closed = await Promise.allSettled([...this.#lives.values()].map(life => life.close()))
    for (const result of closed) if (result.status === 'rejected') throw result.reason
  }

  #find(name: string): EngineLife {
    const life = this.#lives.get(name)
    if (life) return life
    const names = [...this.#lives.keys()].join(', ') || 'none'
    throw new MachineError('INVALID', `the host has no engine ${JSON.stringify(name)}; it has ${names}`)
  }
}

/** One engine, from the first request of the front to the last. */
class EngineLife {
  readonly #name: string
  readonly #hosted: HostedEngine
  #opener: (() => Promise<OpenedOnHost>) | undefined
  #isOpening = false
  #opened: OpenedOnHost | undefined
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(name: string, hosted: HostedEngine) {
    this.#name = name
    this.#hosted = hosted
  }

  async configure(): Promise<void> {
    this.#opener ??= await this.#hosted.configure()
  }

  async open(): Promise<OpenedOnHost> {
    const opener = this.#opener
    if (!opener) throw new MachineError('STATE', `the engine ${this.#name} is not configured`)
    if (this.#opened || this.#isOpening)
      throw new MachineError('STATE', `the engine ${this.#name} is open already`)
    this.#isOpening = true
    try {
      return await this.#finish(
        (async () => {
          this.#opened = await opener()
          return this.#opened
        })(),
      )
    } finally {
      this.#isOpening = false
    }
  }

  get opened(): OpenedOnHost {
    if (!this.#opened) throw new MachineError('STATE', `the engine ${this.#name} is not open`)
    return this.#opened
  }

  async use<Result>(work: (engine: EngineOfHost) => Promise<Result>): Promise<Result> {
    return await this.#finish(work(this.opened.engine))
  }

  /** Waits for what is under way, also for an engine that is being opened. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay)
    const opened = this.#opened
    this.#opened = undefined
    await opened?.close()
  }

  /** Lets {@link close} wait for the work. */
  async #finish<Result>(work: Promise<Result>): Promise<Result> {
    this.#underWay.add(work)
    try {
      return await work
    } finally {
      this.#underWay.delete(work)
    }
  }
}
