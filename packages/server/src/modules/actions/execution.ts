import { performOnDesktop } from '@sandglass/machines/actions'
import type { Machine } from '@sandglass/machines/contract'
import type { ActionResult, BatchResult, ComputerAction, Observation } from '@sandglass/protocol'
import type { Picture } from '../../pictures/pictures.ts'
import type { ControlDesk } from '../live/control.ts'
import type { Inside } from '../sandboxes/reach.ts'
import type { SandboxRow } from '../sandboxes/store.ts'
import { failureOf } from './failures.ts'
import { Lanes } from './lanes.ts'
import type { Observed, Observer } from './observe.ts'

/** Actions after which the screen is as it was before, so that there is nothing to wait for. */
const still = new Set<ComputerAction['type']>([
  ...(['screenshot', 'wait', 'finished', 'failed', 'client:user-takeover'] as const),
])

type Outcome = BatchResult['results'][number]

/** How to look, for whoever wants the picture itself. */
export type Look = Pick<Observation, 'settle' | 'screenShotFormat' | 'includePointer'> & {
  /** The picture is scaled down until neither side is longer. */
  readonly longestSide: number
}

export interface Seen {
  readonly picture: Picture
  readonly cursorPosition: CursorPosition
}

type CursorPosition = NonNullable<ActionResult['cursorPosition']>

/** What was looked at, as far as it was asked for. */
interface Outlook {
  readonly taken: Observed | undefined
  readonly isShown: boolean
  readonly cursorPosition: CursorPosition | undefined
  /** Why the picture was not uploaded. */
  readonly refusal: string | undefined
}

/** Acts in sandboxes, and looks at what came of it. */
export class Execution {
  readonly #control: ControlDesk
  readonly #observer: Observer
  readonly #lanes = new Lanes()

  constructor(control: ControlDesk, observer: Observer) {
    this.#control = control
    this.#observer = observer
  }

  async one(
    { sandbox, machine }: Inside,
    action: ComputerAction,
    observation: Observation,
    signal: AbortSignal,
  ): Promise<ActionResult> {
    await this.#awaitTurn(sandbox, [action], signal)
    return this.#lanes.run(machine, signal, async () => {
      try {
        await this.#act(sandbox, machine, action, signal)
        return resultOf(await this.#observe(machine, observation, [action], signal))
      } catch (error) {
        throw failureOf(error)
      }
    })
  }

  /** The same, for whoever wants the picture itself. */
  async oneSeen(
    { sandbox, machine }: Inside,
    action: ComputerAction,
    look: Look,
    signal: AbortSignal,
  ): Promise<Seen> {
    await this.#awaitTurn(sandbox, [action], signal)
    const observation = { ...look, includeScreenShot: true, includeCursorPosition: true }
    return this.#lanes.run(machine, signal, async () => {
      try {
        await this.#act(sandbox, machine, action, signal)
        const { taken, cursorPosition } = await this.#observe(machine, observation, [action], signal)
        if (!taken || !cursorPosition) throw new Error('a look that was asked for was not taken')
        return { picture: taken.picture, cursorPosition }
      } catch (error) {
        throw failureOf(error)
      }
    })
  }

  async several(
    { sandbox, machine }: Inside,
    actions: readonly ComputerAction[],
    observation: Observation,
    signal: AbortSignal,
  ): Promise<BatchResult> {
    await this.#awaitTurn(sandbox, actions, signal)
    return this.#lanes.run(machine, signal, async () => {
      const results: Outcome[] = []
      for (const action of actions) {
        const outcome = await this.#tryOne(sandbox, machine, action, signal)
        results.push(outcome)
        if (!outcome.success) break
      }
      const hasFailed = results.at(-1)?.success === false
      try {
        const observed = await this.#observe(machine, observation, actions.slice(0, results.length), signal)
        const { taken } = observed
        return {
          ...{ results, ...(hasFailed && { failedIndex: results.length - 1 }) },
          ...resultOf(observed),
          ...(taken && { changed: [...taken.changed] }),
        }
      } catch (error) {
        throw failureOf(error)
      }
    })
  }

  /** A look that waits for nobody. */
  async preview(
    machine: Machine,
    observation: Pick<Observation, 'screenShotFormat' | 'includePointer' | 'screenShotPutUrl'>,
    signal: AbortSignal,
  ): Promise<ActionResult> {
    try {
      const whole = { ...observation, includeScreenShot: true, includeCursorPosition: true, settle: null }
      return resultOf(await this.#observe(machine, whole, [], signal))
    } catch (error) {
      throw failureOf(error)
    }
  }

  /** Not in the lane: who only looks does not wait for a person. */
  async #awaitTurn(
    sandbox: SandboxRow,
    actions: readonly ComputerAction[],
    signal: AbortSignal,
  ): Promise<void> {
    if (actions.some(({ type }) => !still.has(type))) await this.#control.awaitAgents(sandbox, signal)
  }

  async #tryOne(
    sandbox: SandboxRow,
    machine: Machine,
    action: ComputerAction,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const callId = action.callId === undefined ? {} : { callId: action.callId }
    try {
      await this.#act(sandbox, machine, action, signal)
      return { success: true, ...callId }
    } catch (error) {
      const { code, message } = failureOf(error)
      return { success: false, error: { code, message }, ...callId }
    }
  }

  async #act(
    sandbox: SandboxRow,
    machine: Machine,
    action: ComputerAction,
    signal: AbortSignal,
  ): Promise<void> {
    if (action.type === 'client:user-takeover') return this.#control.call(sandbox.id)
    if (!still.has(action.type)) await this.#control.mustBeAgents(sandbox)
    await performOnDesktop(action, machine.screen, signal)
  }

  async #observe(
    machine: Machine,
    observation: Observation & Partial<Pick<Look, 'longestSide'>>,
    actions: readonly ComputerAction[],
    signal: AbortSignal,
  ): Promise<Outlook> {
    const { settle, includeScreenShot, includeCursorPosition, screenShotPutUrl } = observation
    const isLooking = includeScreenShot || screenShotPutUrl !== undefined
    const hasActed = actions.some(({ type }) => !still.has(type))
    if (isLooking && hasActed && typeof settle === 'object' && settle)
      await machine.screen.settled({ ...settle, signal })
    const [taken, cursorPosition] = await Promise.all([
      isLooking ? this.#observer.take(machine, observation) : undefined,
      includeCursorPosition ? this.#observer.cursorPosition(machine) : undefined,
    ])
    const refusal =
      taken && screenShotPutUrl
        ? await this.#observer.upload(taken.picture, screenShotPutUrl, signal)
        : undefined
    return { taken, isShown: includeScreenShot, cursorPosition, refusal }
  }
}

function resultOf({ taken, isShown, cursorPosition, refusal }: Outlook): ActionResult {
  return {
    ...(taken && isShown && { screenShot: taken.picture.url }),
    ...(cursorPosition && { cursorPosition }),
    ...(refusal !== undefined && { screenShotPutError: refusal }),
  }
}
