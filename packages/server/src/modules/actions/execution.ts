import type { ActionResult, BatchResult, Observation, RequestedAction, Settled } from '@sandglass/protocol'
import { KeyedMutex } from '@sandglass/supervision'
import { fitted, type Looked, type LookRequest } from '@sandglass/workers/contract'
import type { Picture } from '../../pictures/pictures.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import type { ControlTracker } from '../live/control.ts'
import type { Inside } from '../sandboxes/sandbox-router.ts'
import { actionQueue } from './action-queue.ts'
import { elementsOf } from './elements.ts'
import { failureOf } from './failures.ts'
import { inlineImage } from './inline-image.ts'
import type { Observer } from './observe.ts'
import { doneBy, type ObservedParts, resultOf } from './result.ts'
import { settleRequest } from './settle-request.ts'

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
export type PictureOptions = Pick<
  Observation,
  'settle' | 'screenShotFormat' | 'includePointer' | 'longestSide'
>

export interface ActedWithPicture extends Pick<ActionResult, 'actionResult'> {
  readonly picture: Picture
  readonly cursorPosition: NonNullable<ActionResult['cursorPosition']>
  readonly settled: Settled
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
    inside: Inside,
    action: RequestedAction,
    observation: Observation,
    signal: AbortSignal,
  ): Promise<ActionResult> {
    const { sandbox, machine } = inside
    await this.#waitForControl(sandbox, [action], signal)
    return this.#queue.run(
      machine,
      async () => {
        try {
          const { done, observed } = await this.#actAndObserve(inside, action, observation, signal)
          return { ...resultOf(observed), ...done }
        } catch (error) {
          throw failureOf(error)
        }
      },
      signal,
    )
  }

  /** Performs one action, for callers that need the picture itself and not its URL. */
  async oneWithPicture(
    inside: Inside,
    action: RequestedAction,
    look: PictureOptions,
    signal: AbortSignal,
  ): Promise<ActedWithPicture> {
    const { sandbox, machine } = inside
    await this.#waitForControl(sandbox, [action], signal)
    const observation = {
      ...look,
      includeScreenShot: true,
      includeCursorPosition: true,
      includeUiTree: false,
      includeImage: false,
    }
    return this.#queue.run(
      machine,
      async () => {
        try {
          const { done, observed } = await this.#actAndObserve(inside, action, observation, signal)
          const { picture, cursorPosition, settled = 'none' } = observed
          if (!picture || !cursorPosition) throw new Error('a look that was asked for was not taken')
          return { picture, cursorPosition, settled, ...done }
        } catch (error) {
          throw failureOf(error)
        }
      },
      signal,
    )
  }

  async several(
    inside: Inside,
    actions: readonly RequestedAction[],
    observation: Observation,
    signal: AbortSignal,
  ): Promise<BatchResult> {
    const { sandbox, machine } = inside
    await this.#waitForControl(sandbox, actions, signal)
    return this.#queue.run(
      machine,
      async () => {
        const results: Outcome[] = []
        for (const action of actions) {
          const outcome = await this.#tryOne(inside, action, signal)
          results.push(outcome)
          if (!outcome.success) break
        }
        const hasFailed = results.at(-1)?.success === false
        try {
          const performed = actions.slice(0, results.length)
          const observed = await this.#observe(inside, observation, performed, signal)
          return {
            results,
            ...(hasFailed && { failedIndex: results.length - 1 }),
            ...resultOf(observed),
            ...(observed.picture && { changed: [...observed.changed] }),
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
    if (!passiveActions.has(action.type)) await this.#control.requireAgentControl(sandbox)
  }

  /** Does both in one call to the machine, unless the action is not for the machine. */
  async #actAndObserve(
    inside: Inside,
    action: RequestedAction,
    observation: Observation,
    signal: AbortSignal,
  ): Promise<{ readonly done: Pick<ActionResult, 'actionResult'>; readonly observed: ObservedParts }> {
    const { sandbox, machine } = inside
    if (action.type === 'client:user-takeover')
      return {
        done: doneBy(await this.#control.call(sandbox.id, { actor: inside.actor, message: action.message })),
        observed: await this.#observe(inside, observation, [action], signal),
      }
    await this.#requireControl(sandbox, action)
    this.#control.acting(sandbox.id, action)
    const look = await this.#lookFor(inside, observation, [action])
    const { result, looked } = await machine.screen.perform(action, { look, signal })
    if (!looked) throw new Error('a look that was asked for was not taken')
    return { done: doneBy(result), observed: await this.#develop(inside, observation, looked, signal) }
  }

  async #observe(
    inside: Inside,
    observation: Observation,
    actions: readonly RequestedAction[],
    signal: AbortSignal,
  ): Promise<ObservedParts> {
    const looked = await inside.machine.screen.look(await this.#lookFor(inside, observation, actions), signal)
    return this.#develop(inside, observation, looked, signal)
  }

  async #lookFor(
    { sandbox, machine }: Inside,
    observation: Observation,
    actions: readonly RequestedAction[],
  ): Promise<LookRequest> {
    const { settle, includeCursorPosition, includeUiTree } = observation
    const isLooking =
      observation.includeScreenShot || observation.includeImage || observation.screenShotPutUrl !== undefined
    const hasActed = actions.some(({ type }) => !passiveActions.has(type))
    const settles =
      (isLooking || includeUiTree) &&
      hasActed &&
      typeof settle === 'object' &&
      settle &&
      settleRequest(settle)
    return {
      ...(settles && { settle: settles }),
      ...(isLooking && { picture: await this.#observer.prepare(machine, observation, ownerOf(sandbox)) }),
      cursor: includeCursorPosition,
      elements: includeUiTree,
    }
  }

  async #develop(
    { sandbox, machine }: Inside,
    observation: Observation,
    { settled, capture, changed, cursor, elements }: Looked,
    signal: AbortSignal,
  ): Promise<ObservedParts> {
    const { includeScreenShot, includeImage, screenShotPutUrl } = observation
    const picture = capture && this.#observer.keep(machine, capture, observation, ownerOf(sandbox))
    return {
      picture,
      settled,
      changed,
      isShown: includeScreenShot,
      image:
        picture && includeImage
          ? await inlineImage(picture, fitted(capture.size, observation.longestSide))
          : undefined,
      cursorPosition: cursor && {
        x: cursor.x,
        y: cursor.y,
        screenWidth: cursor.screen.width,
        screenHeight: cursor.screen.height,
        screenIndex: 0,
      },
      elements: elements && elementsOf(elements),
      uploadError:
        picture && screenShotPutUrl
          ? await this.#observer.upload(picture, screenShotPutUrl, signal)
          : undefined,
    }
  }
}

const ownerOf = ({ org_id, id }: SandboxRow) => ({ orgId: org_id, sandboxId: id })
