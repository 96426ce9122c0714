import type { ActionResult, BatchResult, Observation, RequestedAction, Settled } from '@sandglass/protocol'
import { KeyedMutex } from '@sandglass/supervision'
import type { Picture } from '../../pictures/pictures.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import type { ControlTracker } from '../live/control.ts'
import type { Inside } from '../sandboxes/sandbox-router.ts'
import type { Attempt, Request, Timeline } from '../timeline/timeline.ts'
import { actionQueue } from './action-queue.ts'
import { failureOf } from './failures.ts'
import type { Looks } from './looks.ts'
import { isActive } from './passive.ts'
import { doneBy, type ObservedParts, resultOf } from './result.ts'

type Outcome = BatchResult['results'][number]

/** How to take the picture, for callers that need the picture itself and not its URL. */
export type PictureOptions = Pick<
  Observation,
  'settle' | 'screenShotFormat' | 'includePointer' | 'longestSide'
>

export interface ActedWithPicture extends Pick<ActionResult, 'actionResult'> {
  readonly picture: Picture
  readonly cursorPosition: NonNullable<ActionResult['cursorPosition']>
  readonly settled: Settled
}

interface Acted {
  readonly done: Pick<ActionResult, 'actionResult'>
  readonly observed: ObservedParts
}

/** The outcome of an action whose call was broken off. Whether it was performed is not known. */
const abandoned = 'abandoned'

/** Performs actions in sandboxes, and observes the screen afterwards. */
export class Execution {
  readonly #control: ControlTracker
  readonly #looks: Looks
  readonly #timeline: Timeline
  readonly #queue = new KeyedMutex(actionQueue)

  constructor(control: ControlTracker, looks: Looks, timeline: Timeline) {
    this.#control = control
    this.#looks = looks
    this.#timeline = timeline
  }

  async one(
    inside: Inside,
    action: RequestedAction,
    observation: Observation,
    signal: AbortSignal,
  ): Promise<ActionResult> {
    const { done, observed } = await this.#one(inside, action, observation, 'api', signal)
    return { ...resultOf(observed), ...done }
  }

  /** Performs one action, for callers that need the picture itself and not its URL. */
  async oneWithPicture(
    inside: Inside,
    action: RequestedAction,
    look: PictureOptions,
    signal: AbortSignal,
  ): Promise<ActedWithPicture> {
    const observation = {
      ...look,
      includeScreenShot: true,
      includeCursorPosition: true,
      includeUiTree: false,
      includeImage: false,
      isSecret: false,
    }
    const { done, observed } = await this.#one(inside, action, observation, 'mcp', signal)
    const { picture, cursorPosition, settled = 'none' } = observed
    if (!picture || !cursorPosition) throw failureOf(new Error('a look that was asked for was not taken'))
    return { picture, cursorPosition, settled, ...done }
  }

  async #one(
    inside: Inside,
    action: RequestedAction,
    observation: Observation,
    source: Request['source'],
    signal: AbortSignal,
  ): Promise<Acted> {
    const request = { source, isSecret: observation.isSecret }
    return this.#inTurn(inside, [action], request, signal, async () => {
      const attempt = this.#timeline.begin(inside, action, request)
      try {
        const acted = await this.#actAndObserve(inside, action, observation, signal)
        attempt.end('done', acted.observed.picture)
        return acted
      } catch (error) {
        attempt.end(outcomeOf(error, signal))
        throw failureOf(error)
      }
    })
  }

  /** @param source how the actions were requested */
  async several(
    inside: Inside,
    actions: readonly RequestedAction[],
    observation: Observation,
    source: Request['source'],
    signal: AbortSignal,
  ): Promise<BatchResult> {
    const request = { source, isSecret: observation.isSecret }
    return this.#inTurn(inside, actions, request, signal, async () => {
      const results: Outcome[] = []
      let last: Attempt | undefined
      let lastOutcome = 'done'
      for (const action of actions) {
        last?.end(lastOutcome)
        last = this.#timeline.begin(inside, action, request)
        const outcome = await this.#tryOne(inside, action, signal)
        results.push(outcome)
        if (outcome.success) continue
        lastOutcome = signal.aborted ? abandoned : (outcome.error?.code ?? '')
        break
      }
      const hasFailed = results.at(-1)?.success === false
      let picture: Picture | undefined
      try {
        const performed = actions.slice(0, results.length)
        const observed = await this.#looks.after(inside, observation, performed, signal)
        picture = observed.picture
        return {
          results,
          ...(hasFailed && { failedIndex: results.length - 1 }),
          ...resultOf(observed),
          ...(observed.picture && { changed: [...observed.changed] }),
        }
      } catch (error) {
        throw failureOf(error)
      } finally {
        last?.end(lastOutcome, picture)
      }
    })
  }

  /** Observes the screen outside the queue, so that a preview does not wait for actions. */
  async preview(
    inside: Inside,
    observation: Pick<
      Observation,
      | 'screenShotFormat'
      | 'includePointer'
      | 'longestSide'
      | 'includeImage'
      | 'includeUiTree'
      | 'screenShotPutUrl'
    >,
    signal: AbortSignal,
  ): Promise<ActionResult> {
    try {
      const whole = {
        ...observation,
        includeScreenShot: true,
        includeCursorPosition: true,
        settle: null,
        isSecret: false,
      }
      return resultOf(await this.#looks.after(inside, whole, [], signal))
    } catch (error) {
      throw failureOf(error)
    }
  }

  /**
   * Waits for control outside the queue, so that read-only calls are not blocked by a takeover, and then for the turn of the call. A
   * call that does not get there is on the timeline with its first action.
   */
  async #inTurn<T>(
    inside: Inside,
    actions: readonly RequestedAction[],
    request: Request,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> {
    const { sandbox, machine } = inside
    const [first] = actions
    const attempt = first && this.#timeline.begin(inside, first, request)
    let isBegun = false
    try {
      if (actions.some(isActive)) await this.#control.waitForAgentControl(sandbox, signal)
      return await this.#queue.run(
        machine,
        () => {
          isBegun = true
          return work()
        },
        signal,
      )
    } catch (error) {
      if (!isBegun) attempt?.end(outcomeOf(error, signal))
      throw error
    }
  }

  async #tryOne(inside: Inside, action: RequestedAction, signal: AbortSignal): Promise<Outcome> {
    const callId = action.callId === undefined ? {} : { callId: action.callId }
    try {
      const done = doneBy(await this.#act(inside, action, signal))
      return { success: true, ...done, ...callId }
    } catch (error) {
      const { code, message } = failureOf(error)
      return { success: false, error: { code, message }, ...callId }
    }
  }

  async #act(inside: Inside, action: RequestedAction, signal: AbortSignal): Promise<unknown> {
    const { sandbox, machine, actor } = inside
    if (action.type === 'client:user-takeover')
      return this.#control.call(sandbox.id, { actor, message: action.message })
    await this.#requireControl(sandbox, action)
    this.#control.acting(sandbox.id, action)
    return (await machine.screen.perform(action, { signal })).result
  }

  async #requireControl(sandbox: SandboxRow, action: RequestedAction): Promise<void> {
    if (isActive(action)) await this.#control.requireAgentControl(sandbox)
  }

  /** Does both in one call to the machine, unless the action is not for the machine. */
  async #actAndObserve(
    inside: Inside,
    action: RequestedAction,
    observation: Observation,
    signal: AbortSignal,
  ): Promise<Acted> {
    const { sandbox, machine } = inside
    if (action.type === 'client:user-takeover')
      return {
        done: doneBy(await this.#control.call(sandbox.id, { actor: inside.actor, message: action.message })),
        observed: await this.#looks.after(inside, observation, [action], signal),
      }
    await this.#requireControl(sandbox, action)
    this.#control.acting(sandbox.id, action)
    const look = await this.#looks.request(inside, observation, [action])
    const { result, looked } = await machine.screen.perform(action, { look, signal })
    if (!looked) throw new Error('a look that was asked for was not taken')
    return { done: doneBy(result), observed: await this.#looks.develop(inside, observation, looked, signal) }
  }
}

function outcomeOf(error: unknown, signal: AbortSignal): string {
  return signal.aborted ? abandoned : failureOf(error).code
}
