import type { Machine } from '@sandglass/machines/contract'
import type { ActionResult, BatchResult, Observation, RequestedAction } from '@sandglass/protocol'
import type { ControlDesk } from '../live/control.ts'
import type { Inside } from '../sandboxes/reach.ts'
import type { SandboxRow } from '../sandboxes/store.ts'
import { failureOf } from './failures.ts'
import { Lanes } from './lanes.ts'
import type { Observer } from './observe.ts'
import { perform } from './perform.ts'
import { seeElements } from './see-elements.ts'

/** Actions after which the screen is as it was before, so that there is nothing to wait for. */
const still = new Set<RequestedAction['type']>([
  ...(['screenshot', 'wait', 'finished', 'failed', 'client:user-takeover', 'os:listApps'] as const),
])

type Outcome = BatchResult['results'][number]

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
    action: RequestedAction,
    observation: Observation,
    signal: AbortSignal,
  ): Promise<ActionResult> {
    await this.#awaitTurn(sandbox, [action], signal)
    return this.#lanes.run(machine, signal, async () => {
      try {
        const done = resultOf(await this.#act(sandbox, machine, action, signal))
        const { changed: _, ...seen } = await this.#observe(machine, observation, [action], signal)
        return { ...seen, ...done }
      } catch (error) {
        throw failureOf(error)
      }
    })
  }

  async several(
    { sandbox, machine }: Inside,
    actions: readonly RequestedAction[],
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
        const seen = await this.#observe(machine, observation, actions.slice(0, results.length), signal)
        return { results, ...(hasFailed && { failedIndex: results.length - 1 }), ...seen }
      } catch (error) {
        throw failureOf(error)
      }
    })
  }

  /** A look that waits for nobody. */
  async preview(
    machine: Machine,
    observation: Pick<
      Observation,
      'screenShotFormat' | 'includePointer' | 'includeUiTree' | 'screenShotPutUrl'
    >,
    signal: AbortSignal,
  ): Promise<ActionResult> {
    try {
      const whole = { ...observation, includeScreenShot: true, includeCursorPosition: true, settle: null }
      const { changed: _, ...seen } = await this.#observe(machine, whole, [], signal)
      return seen
    } catch (error) {
      throw failureOf(error)
    }
  }

  /** Not in the lane: who only looks does not wait for a person. */
  async #awaitTurn(
    sandbox: SandboxRow,
    actions: readonly RequestedAction[],
    signal: AbortSignal,
  ): Promise<void> {
    if (actions.some(({ type }) => !still.has(type))) await this.#control.awaitAgents(sandbox, signal)
  }

  async #tryOne(
    sandbox: SandboxRow,
    machine: Machine,
    action: RequestedAction,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const callId = action.callId === undefined ? {} : { callId: action.callId }
    try {
      const done = resultOf(await this.#act(sandbox, machine, action, signal))
      return { success: true, ...done, ...callId }
    } catch (error) {
      const { code, message } = failureOf(error)
      return { success: false, error: { code, message }, ...callId }
    }
  }

  async #act(
    sandbox: SandboxRow,
    machine: Machine,
    action: RequestedAction,
    signal: AbortSignal,
  ): Promise<unknown> {
    if (action.type === 'client:user-takeover') return this.#control.call(sandbox.id)
    if (!still.has(action.type)) await this.#control.mustBeAgents(sandbox)
    return perform(action, machine, signal)
  }

  async #observe(
    machine: Machine,
    observation: Observation,
    actions: readonly RequestedAction[],
    signal: AbortSignal,
  ): Promise<ActionResult & Pick<BatchResult, 'changed'>> {
    const { settle, includeScreenShot, includeCursorPosition, includeUiTree, screenShotPutUrl } = observation
    const isLooking = includeScreenShot || screenShotPutUrl !== undefined
    const hasActed = actions.some(({ type }) => !still.has(type))
    if ((isLooking || includeUiTree) && hasActed && typeof settle === 'object' && settle)
      await machine.screen.settled({ ...settle, signal })
    const [taken, cursorPosition, elements] = await Promise.all([
      isLooking ? this.#observer.take(machine, observation) : undefined,
      includeCursorPosition ? this.#observer.cursorPosition(machine) : undefined,
      includeUiTree ? seeElements(machine) : undefined,
    ])
    const refusal =
      taken && screenShotPutUrl
        ? await this.#observer.upload(taken.picture, screenShotPutUrl, signal)
        : undefined
    return {
      ...(taken && includeScreenShot && { screenShot: taken.picture.url }),
      ...(taken && { changed: [...taken.changed] }),
      ...(cursorPosition && { cursorPosition }),
      ...elements,
      ...(refusal !== undefined && { screenShotPutError: refusal }),
    }
  }
}

function resultOf(actionResult: unknown): Pick<ActionResult, 'actionResult'> {
  return actionResult === undefined ? {} : { actionResult }
}
