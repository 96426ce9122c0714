import type { Room } from '@sandglass/gateway/rooms'
import { ApiError, type Control } from '@sandglass/protocol'
import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { recallAbandoned, type SandboxRow, selectControl, setControl } from '../../records/sandboxes.ts'

/** How long an agent that may wait is kept waiting: published clients give up after 10 s, and a picture follows. */
const longestWaitMs = 6000

/** What happens to an agent that acts while a person has the control. */
export type Takeover = 'refuse' | 'wait'

interface ControlParts {
  readonly db: Database
  readonly takeover: Takeover
  readonly find: (sandboxId: string) => Room | undefined
  readonly log: Logger
}

/**
 * Who has the control of the sandboxes of this process. Every change of it is made by the process that has the machine, so
 * what is known here is never behind.
 */
export class ControlTracker {
  readonly #parts: ControlParts
  /** Those that a person has, or was called to. */
  readonly #taken = new Map<string, PromiseWithResolvers<void>>()
  /** Those that the agent has again, though that is not yet written down. */
  readonly #returning = new Set<string>()
  /** Writes follow one another, so that the last is the one that stays. */
  #writes: Promise<unknown> = Promise.resolve()

  constructor(parts: ControlParts) {
    this.#parts = parts
  }

  start(nodeId: string): Promise<void> {
    return recallAbandoned(this.#parts.db, nodeId)
  }

  /** A person shall take over. */
  async call(sandboxId: string): Promise<void> {
    await this.#write(sandboxId, 'user', true)
    this.#note(sandboxId, 'user')
    this.#parts.find(sandboxId)?.call()
  }

  /** The agent gets it, whoever has it. */
  async recall(sandboxId: string): Promise<void> {
    await this.#write(sandboxId, 'agent', false)
    const room = this.#parts.find(sandboxId)
    if (room?.control === 'user') room.recall()
    else this.#note(sandboxId, 'agent')
  }

  /** It changed hands in the room. */
  controlled(sandboxId: string, control: Control, isCalled: boolean): void {
    if (control === 'agent') this.#returning.add(sandboxId)
    this.#note(sandboxId, control)
    this.#write(sandboxId, control, isCalled)
      .catch(error =>
        this.#parts.log.error({ sandbox: sandboxId, error }, 'the holder of control could not be recorded'),
      )
      .finally(() => this.#returning.delete(sandboxId))
  }

  /** Nobody waits for a sandbox that is gone. */
  async forgetIfGone(sandboxId: string): Promise<void> {
    if (!this.#taken.has(sandboxId)) return
    if (!(await selectControl(this.#parts.db, sandboxId))) this.#note(sandboxId, 'agent')
  }

  /** Throws where a person has it. */
  async requireAgentControl({ id, control }: SandboxRow): Promise<void> {
    if (await this.#isTaken(id, control)) throw new ApiError('sandbox.TAKEN_OVER', { retryAfter: 5 })
  }

  /** Waits for a while for a person to hand back, where the setting says so. */
  async waitForAgentControl({ id, control }: SandboxRow, signal: AbortSignal): Promise<void> {
    if (this.#parts.takeover === 'refuse' || !(await this.#isTaken(id, control))) return
    const { promise } = this.#entry(id)
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const late = setTimeout(resolve, longestWaitMs)
    signal.addEventListener('abort', () => resolve(), { once: true })
    await Promise.race([promise, over])
    clearTimeout(late)
  }

  /** What was read of the sandbox may be from before it was handed back. */
  async #isTaken(id: string, read: Control): Promise<boolean> {
    if (this.#taken.has(id)) return true
    if (read === 'agent' || this.#returning.has(id)) return false
    return (await selectControl(this.#parts.db, id))?.control === 'user'
  }

  #note(id: string, control: Control): void {
    if (control === 'user') this.#entry(id)
    else {
      this.#taken.get(id)?.resolve()
      this.#taken.delete(id)
    }
  }

  #entry(id: string): PromiseWithResolvers<void> {
    const entry = this.#taken.get(id) ?? Promise.withResolvers<void>()
    this.#taken.set(id, entry)
    return entry
  }

  #write(id: string, control: Control, isCalled: boolean): Promise<void> {
    const write = this.#writes.then(() => setControl(this.#parts.db, id, control, isCalled))
    this.#writes = write.catch(() => {})
    return write
  }
}
