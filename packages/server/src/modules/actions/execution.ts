import type { Machine } from '@sandglass/machines/contract'
import type { ActionResult, BatchResult, Observation, RequestedAction } from '@sandglass/protocol'
import { KeyedMutex } from '@sandglass/supervision'
import type { Picture } from '../../pictures/pictures.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import type { ControlTracker } from '../live/control.ts'
import type { Inside } from '../sandboxes/sandbox-router.ts'
import { actionQueue } from './action-queue.ts'
import { failureOf } from './failures.ts'
import type { Observed, Observer } from './observe.ts'
import { perform } from './perform.ts'
import { seeElements } from './see-elements.ts'

/** Actions that do not change the screen, so that there is no need to wait until it settles. */
const passiveActions = new Set<RequestedAction['type']>([
  'screenshot',
  'wait',
  'finished',
  'failed',
  'client:user-takeover',
  'os:listApps',
])

type Outcome = BatchResult['results'][number]

/** How to take the picture, for callers that need the picture itself and not its URL. */
export type PictureOptions = Pick<Observation, 'settle' | 'screenShotFormat' | 'includePointer'> & {
  /** The picture is scaled down so that neither side is longer than this. */
  readonly longestSide: number
}

export interface ActedWithPicture extends Pick<ActionResult, 'actionResult'> {
  readonly picture: Picture
  readonly cursorPosition: CursorPosition
}

type CursorPosition = NonNullable<ActionResult['cursorPosition']>

/** The parts of an observation that were requested. */
interface ObservedParts {
  readonly taken: Observed | undefined
  readonly isShown: boolean
  readonly cursorPosition: CursorPosition | undefined
  readonly elements: Awaited<ReturnType<typeof seeElements>> | undefined
  /** The reason why the picture was not uploaded. */
  readonly uploadError: string | undefined
}

/** Performs actions in sandboxes, and observes the screen afterwards. */
export class Execution {
  readonly #control: ControlTracker
  readonly #observer: Observer
  readonly #queue = new KeyedMutex(actionQueue)

  constructor(control: ControlTracker, observer: Observer) {
    this.#control = control
    this.#observer = observer
  }

  async one(
    { sandbox, machine }: Inside,
    action: RequestedAction,
    observation: Observation,
    signal: AbortSignal,
  ): Promise<ActionResult> {
    await this.#waitForControl(sandbox, [action], signal)
    return this.#queue.run(
      machine,
      async () => {
        try {
          const done = doneBy(await this.#act(sandbox, machine, action, signal))
          return {
            ...resultOf(await this.#observe({ sandbox, machine }, observation, [action], signal)),
            ...done,
          }
        } catch (error) {
          throw failureOf(error)
        }
      },
      signal,
    )
  }

  /** Performs one action, for callers that need the picture itself and not its URL. */
  async oneWithPicture(
    { sandbox, machine }: Inside,
    action: RequestedAction,
    look: PictureOptions,
    signal: AbortSignal,
  ): Promise<ActedWithPicture> {
    await this.#waitForControl(sandbox, [action], signal)
    const observation = {
      ...look,
      includeScreenShot: true,
      includeCursorPosition: true,
      includeUiTree: false,
    }
    return this.#queue.run(
      machine,
      async () => {
        try {
          const done = doneBy(await this.#act(sandbox, machine, action, signal))
          const { taken, cursorPosition } = await this.#observe(
            { sandbox, machine },
            observation,
            [action],
            signal,
          )
          if (!taken || !cursorPosition) throw new Error('a look that was asked for was not taken')
          return { picture: taken.picture, cursorPosition, ...done }
        } catch (error) {
          throw failureOf(error)
        }
      },
      signal,
    )
  }

  async several(
    { sandbox, machine }: Inside,
    actions: readonly RequestedAction[],
    observation: Observation,
    signal: AbortSignal,
  ): Promise<BatchResult> {
    await this.#waitForControl(sandbox, actions, signal)
    return this.#queue.run(
      machine,
      async () => {
        const results: Outcome[] = []
        for (const action of actions) {
          const outcome = await this.#tryOne(sandbox, machine, action, signal)
          results.push(outcome)
          if (!outcome.success) break
        }
        const hasFailed = results.at(-1)?.success === false
        try {
          const observed = await this.#observe(
            { sandbox, machine },
            observation,
            actions.slice(0, results.length),
            signal,
          )
          const { taken } = observed
          return {
            results,
            ...(hasFailed && { failedIndex: results.length - 1 }),
            ...resultOf(observed),
            ...(taken && { changed: [...taken.changed] }),
          }
        } catch (error) {
          throw failureOf(error)
        }
      },
      signal,
    )
  }

  /** Observes the screen outside the queue, so that a preview does not wait for actions. */
  async preview(
    inside: Inside,
    observation: Pick<
      Observation,
      'screenShotFormat' | 'includePointer' | 'includeUiTree' | 'screenShotPutUrl'
    >,
    signal: AbortSignal,
  ): Promise<ActionResult> {
    try {
      const whole = { ...observation, includeScreenShot: true, includeCursorPosition: true, settle: null }
      return resultOf(await this.#observe(inside, whole, [], signal))
    } catch (error) {
      throw failureOf(error)
    }
  }

  /** Waits for control outside the queue, so that read-only calls are not blocked by a takeover. */
  async #waitForControl(
    sandbox: SandboxRow,
    actions: readonly RequestedAction[],
    signal: AbortSignal,
  ): Promise<void> {
    if (actions.some(({ type }) => !passiveActions.has(type)))
      await this.#control.waitForAgentControl(sandbox, signal)
  }

  async #tryOne(
    sandbox: SandboxRow,
    machine: Machine,
    action: RequestedAction,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const callId = action.callId === undefined ? {} : { callId: action.callId }
    try {
      const done = doneBy(await this.#act(sandbox, machine, action, signal))
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
    if (!passiveActions.has(action.type)) await this.#control.requireAgentControl(sandbox)
    return perform(action, machine, signal)
  }

  async #observe(
    { sandbox, machine }: Pick<Inside, 'sandbox' | 'machine'>,
    observation: Observation & Partial<Pick<PictureOptions, 'longestSide'>>,
    actions: readonly RequestedAction[],
    signal: AbortSignal,
  ): Promise<ObservedParts> {
    const { settle, includeScreenShot, includeCursorPosition, includeUiTree, screenShotPutUrl } = observation
    const isLooking = includeScreenShot || screenShotPutUrl !== undefined
    const hasActed = actions.some(({ type }) => !passiveActions.has(type))
    if ((isLooking || includeUiTree) && hasActed && typeof settle === 'object' && settle)
      await machine.screen.settled({ ...settle, signal })
    const owner = { orgId: sandbox.org_id, sandboxId: sandbox.id }
    const [taken, cursorPosition, elements] = await Promise.all([
      isLooking ? this.#observer.take(machine, observation, owner) : undefined,
      includeCursorPosition ? this.#observer.cursorPosition(machine) : undefined,
      includeUiTree ? seeElements(machine) : undefined,
    ])
    const uploadError =
      taken && screenShotPutUrl
        ? await this.#observer.upload(taken.picture, screenShotPutUrl, signal)
        : undefined
    return { taken, isShown: includeScreenShot, cursorPosition, elements, uploadError }
  }
}

function resultOf({ taken, isShown, cursorPosition, elements, uploadError }: ObservedParts): ActionResult {
  return {
    ...(taken && isShown && screenShotOf(taken.picture)),
    ...(cursorPosition && { cursorPosition }),
    ...elements,
    ...(uploadError !== undefined && { screenShotPutError: uploadError }),
  }
}

/** Returns the error instead of the URL if the picture failed, because a caller would take the URL for a picture. */
function screenShotOf({ url, problem }: Picture): Pick<ActionResult, 'screenShot' | 'screenShotError'> {
  return problem ? { screenShotError: { code: problem.code, message: problem.message } } : { screenShot: url }
}

function doneBy(actionResult: unknown): Pick<ActionResult, 'actionResult'> {
  return actionResult === undefined ? {} : { actionResult }
}
