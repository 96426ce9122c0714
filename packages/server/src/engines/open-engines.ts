import { setTimeout as delay } from 'node:timers/promises'
import type { Engine, EngineHealth } from '@sandglass/machines/contract'
import { Supervised } from '@sandglass/supervision'
import type { Engines } from '../machines/engines.ts'
import type { Catalogue } from '../modules/shapes/catalogue.ts'
import type { EngineContext, EngineOpener, EngineSetup, OpenedEngine, Tell } from './engine-definition.ts'

/** How long a start waits for an engine to open. If it takes longer, the service starts without it. */
const startWaitMs = 10_000

/**
 * Opens the enabled engines. It throws if settings are wrong or the host cannot run an engine, because only the operator can
 * fix that. It does not throw if an engine with valid settings cannot be opened: opening it is retried with backoff, and
 * until it succeeds the health of the engine says why it is down.
 */
export async function openEngines(
  setups: readonly EngineSetup[],
  shapes: Catalogue,
  tell: Tell,
): Promise<Engines> {
  requireKnown(setups, shapes)
  const context = { shapes, tell }
  const openers = await configure(setups, context)
  const engines = openers.map(
    ([name, open]) => new SupervisedEngine(name, offering(name, open, shapes), tell),
  )
  await Promise.all(engines.map(engine => engine.start()))
  return join(engines, shapes, new Map(setups.map(({ name, disabled }) => [name, disabled])))
}

/** Adds what the engine offers to the catalogue when it is open. */
function offering(name: string, open: EngineOpener, shapes: Catalogue): EngineOpener {
  return async () => {
    const opened = await open()
    if (opened.offer) shapes.offer(name, await opened.offer())
    return opened
  }
}

async function configure(
  setups: readonly EngineSetup[],
  context: EngineContext,
): Promise<[string, EngineOpener][]> {
  const openers: [string, EngineOpener][] = []
  for (const { name, disabled, configure } of setups)
    if (disabled === undefined) openers.push([name, await configure(context)])
  // A process without any engine is meant to create no machines, so there is nothing to report.
  if (openers.length > 0)
    for (const { name, disabled } of setups)
      if (disabled !== undefined && context.shapes.all().some(({ engine }) => engine === name))
        context.tell(`${disabled} Only other nodes can make machines of its shapes.`)
  return openers
}

/** Throws if a shape names an engine that does not exist, because no node could ever create a machine of it. */
function requireKnown(setups: readonly EngineSetup[], shapes: Catalogue): void {
  const names = setups.map(({ name }) => name)
  for (const { name, engine } of shapes.all())
    if (!names.includes(engine))
      throw new Error(`The shape ${name} is of the engine ${engine}; there are ${names.sort().join(', ')}.`)
}

/** One engine. Opening it is retried with backoff until it succeeds. */
class SupervisedEngine {
  readonly name: string
  /** Settles when the engine is open for the first time. */
  readonly opened: Promise<Engine>
  readonly #supervised: Supervised<OpenedEngine>
  readonly #closed = Promise.withResolvers<void>()

  constructor(name: string, open: EngineOpener, tell: Tell) {
    this.name = name
    const opened = Promise.withResolvers<Engine>()
    this.opened = opened.promise
    this.#supervised = new Supervised<OpenedEngine>({
      open: async () => {
        const result = await open()
        opened.resolve(result.engine)
        return result
      },
      // An open engine never ends: if it loses its daemon, it reports that in its health and recovers by itself.
      ended: () => new Promise(() => {}),
      close: result => this.#closed.resolve(result.close()),
      probes: true,
      onFailure: failure => {
        if (!failure) tell(`The engine ${name} is open now.`)
        else if (failure.attempts === 1)
          tell(
            `The engine ${name} cannot be opened: ${reasonOf(failure.reason)} The service goes on without it and tries again.`,
          )
      },
    })
  }

  /** Settles when the engine is open, the first attempt has failed, or the service should no longer wait for it. */
  async start(): Promise<void> {
    const attempt = this.#supervised.get().then(
      () => {},
      () => {},
    )
    await Promise.race([attempt, delay(startWaitMs, undefined, { ref: false })])
  }

  get current(): OpenedEngine | undefined {
    return this.#supervised.current
  }

  async health(): Promise<EngineHealth> {
    const { current, failure } = this.#supervised
    if (current) return await current.engine.health()
    if (!failure) return { ready: false, reason: `The engine ${this.name} is being opened.`, isOpening: true }
    return { ready: false, reason: `The engine ${this.name} is down: ${reasonOf(failure.reason)}` }
  }

  async close(): Promise<void> {
    const isOpen = this.#supervised.current !== undefined
    this.#supervised.close()
    if (isOpen) await this.#closed.promise
  }
}

function join(
  engines: readonly SupervisedEngine[],
  shapes: Catalogue,
  disabled: ReadonlyMap<string, string | undefined>,
): Engines {
  const find = (name: string) => engines.find(engine => engine.name === name)
  return {
    names: engines.map(({ name }) => name),
    get: name => find(name)?.current?.engine,
    opened: name => find(name)?.opened ?? new Promise(() => {}),
    health: async name =>
      (await find(name)?.health()) ?? {
        ready: false,
        reason: disabled.get(name) ?? `This service has no engine ${name}.`,
      },
    get packages() {
      return engines.find(({ current }) => current?.packages)?.current?.packages
    },
    refreshOffers: async () => {
      for (const { name, current } of engines) if (current?.offer) shapes.offer(name, await current.offer())
    },
    prepared: async name => {
      const engine = find(name)
      await engine?.opened
      await engine?.current?.prepared
    },
    close: async () => {
      const closed = await Promise.allSettled(engines.map(engine => engine.close()))
      for (const result of closed) if (result.status === 'rejected') throw result.reason
    },
  }
}

/** Returns the first line of the message as a sentence. */
function reasonOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
  return line.replace(/\.?$/, '.')
}
