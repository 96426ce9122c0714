import type { Room } from '@sandglass/gateway/rooms'
import { ApiError, type Control, type RequestedAction } from '@sandglass/protocol'
import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { recallAbandoned, selectControl, setControl } from '../../records/control.ts'
import type { ControlNote } from '../../records/control-events.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import { actionInWords } from './action-in-words.ts'

/** Published clients time out after 10 s, so the wait leaves time to act and to take a picture. */
const maxWaitMs = 6000

/** Whether an agent that acts while a person has control is refused or waits. */
export type Takeover = 'refuse' | 'wait'

interface ControlParts {
  readonly db: Database
  readonly takeover: Takeover
  readonly find: (sandboxId: string) => Room | undefined
  readonly log: Logger
}

/**
 * Tracks who controls the sandboxes of this process. Control changes only in the process that has the machine, so the
 * state here is never out of date.
 */
export class ControlTracker {
  readonly #parts: ControlParts
  /** The sandboxes that a person controls, or was asked to take over. */
  readonly #taken = new Map<string, PromiseWithResolvers<void>>()
  /** The sandboxes that the agent controls again, while the database does not yet say so. */
  readonly #returning = new Set<string>()
  /** Writes run one after the other, so that the last one wins. */
  #writes: Promise<unknown> = Promise.resolve()

  constructor(parts: ControlParts) {
    this.#parts = parts
  }

  start(nodeId: string): Promise<void> {
    return recallAbandoned(this.#parts.db, nodeId)
  }

  /** Asks for a person to take over. */
  async call(sandboxId: string, note: ControlNote = {}): Promise<void> {
    await this.#write(sandboxId, 'user', true, note)
    this.#setTaken(sandboxId, 'user')
    this.#parts.find(sandboxId)?.call(note.message)
  }

  /** Gives control to the agent, no matter who has it. */
  async recall(sandboxId: string, note: ControlNote = {}): Promise<void> {
    await this.#write(sandboxId, 'agent', false, note)
    const room = this.#parts.find(sandboxId)
    if (room?.control === 'user') room.recall()
    else this.#setTaken(sandboxId, 'agent')
  }

  /** Records a change of control that was made in the room, by the person of this name if one has or had control. */
  controlled(sandboxId: string, control: Control, isCalled: boolean, by: string | undefined): void {
    if (control === 'agent') this.#returning.add(sandboxId)
    this.#setTaken(sandboxId, control)
    this.#write(sandboxId, control, isCalled, { by })
      .catch(error =>
        this.#parts.log.error({ sandbox: sandboxId, error }, 'the holder of control could not be recorded'),
      )
      .finally(() => this.#returning.delete(sandboxId))
  }

  /** Shows viewers what the agent is doing. */
  acting(sandboxId: string, action: RequestedAction): void {
    this.#parts.find(sandboxId)?.acting(actionInWords(action))
  }

  /** Releases the agents that wait for a sandbox that was deleted. */
  async forgetIfGone(sandboxId: string): Promise<void> {
    if (!this.#taken.has(sandboxId)) return
    if (!(await selectControl(this.#parts.db, sandboxId))) this.#setTaken(sandboxId, 'agent')
  }

  /** Throws if a person has control. */
  async requireAgentControl({ id, control }: SandboxRow): Promise<void> {
    if (await this.#isTaken(id, control)) throw new ApiError('sandbox.TAKEN_OVER', { retryAfter: 5 })
  }

  /** Waits a few seconds for a person to hand back control, if SANDGLASS_TAKEOVER is `wait`. */
  async waitForAgentControl({ id, control }: SandboxRow, signal: AbortSignal): Promise<void> {
    if (this.#parts.takeover === 'refuse' || !(await this.#isTaken(id, control))) return
    const { promise } = this.#entry(id)
    const { promise: timedOut, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, maxWaitMs)
    signal.addEventListener('abort', () => resolve(), { once: true })
    await Promise.race([promise, timedOut])
    clearTimeout(timer)
  }

  /**
   * Checks the database again before it says that a person has control, because the row may have been read before the
   * person handed back.
   */
  async #isTaken(id: string, read: Control): Promise<boolean> {
    if (this.#taken.has(id)) return true
    if (read === 'agent' || this.#returning.has(id)) return false
    return (await selectControl(this.#parts.db, id))?.control === 'user'
  }

  #setTaken(id: string, control: Control): void {
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

  #write(id: string, control: Control, isCalled: boolean, note: ControlNote): Promise<void> {
    const write = this.#writes.then(() => setControl(this.#parts.db, id, control, isCalled, note))
    this.#writes = write.catch(() => {})
    return write
  }
}
