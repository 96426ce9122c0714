import { MachineError, type PackageSource, PackagesError } from '@sandglass/machines/contract'
import type { RunningMachine } from '@sandglass/workers/contract'
import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import type { CatalogueApplication } from './catalogue.ts'
import { install } from './install.ts'
import { InstallError } from './installation.ts'
import { ProgressNotes } from './progress-notes.ts'
import { failInterrupted, type OperationRow, setOperation } from './store.ts'

/** This is generous: an office suite on a slow mirror takes a few minutes. */
const timeoutMs = 30 * 60_000

/** Runs the installations of this node, one at a time per sandbox, and records their progress. */
export class Installer {
  readonly #db: Database
  readonly #nodeId: string
  readonly #log: Logger
  readonly #stopping = new AbortController()
  /** The last queued installation of each sandbox. */
  readonly #last = new Map<string, Promise<void>>()

  constructor(db: Database, nodeId: string, log: Logger) {
    this.#db = db
    this.#nodeId = nodeId
    this.#log = log
  }

  /** Call this first. It marks the installations of an earlier process as failed, because they will not continue. */
  async start(): Promise<void> {
    await failInterrupted(this.#db, this.#nodeId, 'The service was restarted. Request it again.')
  }

  /** Queues an installation behind the earlier ones of the same sandbox. */
  begin(
    row: OperationRow,
    application: CatalogueApplication,
    machine: RunningMachine,
    source: PackageSource,
  ): void {
    const before = this.#last.get(row.sandbox_id) ?? Promise.resolve()
    const installation = before.then(() => this.#carryOut(row, application, machine, source))
    const settled = installation
      .catch(error =>
        this.#log.error({ operation: row.id, error }, 'the result of an installation could not be recorded'),
      )
      .finally(() => {
        if (this.#last.get(row.sandbox_id) === settled) this.#last.delete(row.sandbox_id)
      })
    this.#last.set(row.sandbox_id, settled)
  }

  /** Aborts running installations and waits until they have ended. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#last.values())
  }

  async #carryOut(
    row: OperationRow,
    { packages }: CatalogueApplication,
    machine: RunningMachine,
    source: PackageSource,
  ): Promise<void> {
    const gone = new AbortController()
    void machine.died.then(() => gone.abort(new InstallError('The machine ended.')))
    const signal = AbortSignal.any([this.#stopping.signal, gone.signal, AbortSignal.timeout(timeoutMs)])
    const progress = new ProgressNotes(detail => setOperation(this.#db, row.id, 'RUNNING', detail))
    try {
      signal.throwIfAborted()
      const installed = await install({
        machine,
        source,
        packages,
        signal,
        id: row.id,
        onProgress: detail => progress.note(detail),
      })
      await progress.settled()
      await setOperation(this.#db, row.id, 'SUCCEEDED', { installed })
    } catch (error) {
      await progress.settled()
      if (!signal.aborted)
        this.#log.warn({ operation: row.id, error }, 'an application could not be installed')
      await setOperation(this.#db, row.id, 'FAILED', { reason: this.#reasonOf(error) })
    }
  }

  #reasonOf(error: unknown): string {
    if (this.#stopping.signal.aborted) return 'The service was stopped. Ask for it again.'
    if (error instanceof DOMException && error.name === 'TimeoutError')
      return 'It took longer than half an hour.'
    const isForCaller =
      error instanceof PackagesError || error instanceof InstallError || error instanceof MachineError
    return isForCaller ? error.message : 'The installation failed.'
  }
}
