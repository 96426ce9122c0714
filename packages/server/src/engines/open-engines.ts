import { setTimeout as delay } from 'node:timers/promises'
import type { Engine, EngineHealth } from '@sandglass/machines/contract'
import { Supervised } from '@sandglass/supervision'
import type { Engines } from '../machines/engines.ts'
import type { Catalogue } from '../modules/shapes/catalogue.ts'
import type { EngineContext, EngineOpener, EngineSetup, OpenedEngine, Tell } from './engine-definition.ts'

/** How long a start waits for an engine to open. The service serves without one that takes longer. */
const startWaitMs = 10_000

/**
 * Opens the engines that are enabled. Wrong settings and a box that cannot run an engine throw, because the operator has
 * to put that right. An engine that cannot be opened though its settings are right does not: it is opened again with
 * backoff, and until then its health says why it is down.
 */
export async function openEngines(
  setups: readonly EngineSetup[],
  shapes: Catalogue,
  tell: Tell,
): Promise<Engines> {
  requireKnown(setups, shapes)
  const context = { shapes, tell }
  const openers = await configure(setups, context)
  const engines = openers.map(([name, open]) => new SupervisedEngine(name, open, tell))
  await Promise.all(engines.map(engine => engine.start()))
  return join(engines, new Map(setups.map(({ name, disabled }) => [name, disabled])))
}

async function configure(
  setups: readonly EngineSetup[],
  context: EngineContext,
): Promise<[string, EngineOpener][]> {
  const openers: [string, EngineOpener][] = []
  for (const { name, disabled, configure } of setups)
    if (disabled === undefined) openers.push([name, await configure(context)])
  // A process that has no engine at all was set up to make no machines, and need not be told so.
  if (openers.length > 0)
    for (const { name, disabled } of setups)
      if (disabled !== undefined && context.shapes.all().some(({ engine }) => engine === name))
        context.tell(`${disabled} Only other nodes can make machines of its shapes.`)
  return openers
}

/** A shape whose engine does not exist could never be made, on no node. */
function requireKnown(setups: readonly EngineSetup[], shapes: Catalogue): void {
  const names = setups.map(({ name }) => name)
  for (const { name, engine } of shapes.all())
    if (!names.includes(engine))
      throw new Error(`The shape ${name} is of the engine ${engine}; there are ${names.sort().join(', ')}.`)
}

/** One engine, opened as often as it takes. */
class SupervisedEngine {
  readonly name: string
  /** Settles when it is open for the first time. */
  readonly opened: Promise<Engine>
  readonly #supervised: Supervised<OpenedEngine>
  readonly #closed = Promise.withResolvers<void>()

  constructor(name: string, open: EngineOpener, tell: Tell) {
    this.name = name
    const opened = Promise.withResolvers<Engine>()
    this.opened = opened.promise
    this.#supervised = new Supervised<OpenedEngine>({
      open: async () => {
        const it = await open()
        opened.resolve(it.engine)
        return it
      },
      // An engine that loses its daemon later reports that in its health, and recovers by itself.
      ended: () => new Promise(() => {}),
      close: it => this.#closed.resolve(it.close()),
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

  /** Settles when it is open, has failed once, or takes so long that the service should go on. */
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
    const reason = failure ? reasonOf(failure.reason) : 'It is being opened.'
    return { ready: false, reason: `The engine ${this.name} is down: ${reason}` }
  }

  async close(): Promise<void> {
    const isOpen = this.#supervised.current !== undefined
    this.#supervised.close()
    if (isOpen) await this.#closed.promise
  }
}

function join(
  engines: readonly SupervisedEngine[],
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

/** The first line, as a sentence. */
function reasonOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
  return line.replace(/\.?$/, '.')
}
