import type { Endpoint } from '@sandglass/machines/contract'
import type { Dialable } from '@sandglass/mappings'
import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { transact } from '../../db/transact.ts'
import { appendEvent } from '../../events/append.ts'
import type { MappedSandbox } from './store.ts'

/** The most ports of a machine that are reported. A guest that listens on all of them must not fill the event log. */
const maxPorts = 1000

/**
 * Appends a port.opened event when a mapped port of a machine accepts its first connection. A guest reports no ports by itself, and
 * asking for them all the time would cost every machine something, so a port is noticed when somebody wants it.
 */
export class OpenedPorts {
  readonly #db: Database
  readonly #log: Logger
  /** The gateway tells machines apart by these objects, so there is one per machine. */
  readonly #watched = new WeakMap<Dialable, Dialable>()

  constructor(db: Database, log: Logger) {
    this.#db = db
    this.#log = log
  }

  /** Returns the machine of a sandbox with a `dial` that notices which ports accept connections. */
  watch(machine: Dialable, sandbox: MappedSandbox): Dialable {
    const known = this.#watched.get(machine)
    if (known) return known
    const opened = new Set<number>()
    const watched: Dialable = {
      dial: async (endpoint, options) => {
        const connection = await machine.dial(endpoint, options)
        const port = portOf(endpoint)
        if (port !== undefined && !opened.has(port) && opened.size < maxPorts) {
          opened.add(port)
          this.#append(sandbox, port).catch(error => {
            opened.delete(port)
            this.#log.warn({ sandbox: sandbox.id, error }, 'an opened port is missing in the event log')
          })
        }
        return connection
      },
    }
    this.#watched.set(machine, watched)
    return watched
  }

  async #append({ id, org_id: orgId }: MappedSandbox, port: number): Promise<void> {
    await transact(this.#db, tx =>
      appendEvent(tx, { orgId, type: 'port.opened', subject: id, data: { port } }),
    )
  }
}

function portOf(endpoint: Endpoint): number | undefined {
  const [, port] = /^tcp:.*:(\d+)$/.exec(endpoint) ?? []
  return port === undefined ? undefined : Number(port)
}
