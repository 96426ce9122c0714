import type { Observation, RequestedAction } from '@sandglass/protocol'
import { fitted, type Looked, type LookRequest } from '@sandglass/workers/contract'
import type { Picture } from '../../pictures/pictures.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import type { Inside } from '../sandboxes/sandbox-router.ts'
import { elementsOf } from './elements.ts'
import { inlineImage } from './inline-image.ts'
import type { Observer, PictureChoice } from './observe.ts'
import { isActive } from './passive.ts'
import type { ObservedParts } from './result.ts'
import { settleRequest } from './settle-request.ts'

/** Looks at screens in the way that callers ask for. */
export class Looks {
  readonly #observer: Observer

  constructor(observer: Observer) {
    this.#observer = observer
  }

  /** Looks at the screen after these actions. */
  async after(
    inside: Inside,
    observation: Observation,
    actions: readonly RequestedAction[],
    signal: AbortSignal,
  ): Promise<ObservedParts> {
    const looked = await inside.machine.screen.look(await this.request(inside, observation, actions), signal)
    return this.develop(inside, observation, looked, signal)
  }

  /** Returns a picture of what programs have drawn by now. */
  async picture(
    { sandbox, machine }: Omit<Inside, 'actor'>,
    choice: PictureChoice,
    signal: AbortSignal,
  ): Promise<Picture> {
    const owner = ownerOf(sandbox)
    const picture = await this.#observer.prepare(machine, choice, owner)
    const { capture } = await machine.screen.look({ drawn: true, picture }, signal)
    if (!capture) throw new Error('a picture that was asked for was not taken')
    return this.#observer.keep(machine, capture, choice, owner)
  }

  /** Returns how to look at the screen after these actions. */
  async request(
    { sandbox, machine }: Inside,
    observation: Observation,
    actions: readonly RequestedAction[],
  ): Promise<LookRequest> {
    const { settle, includeCursorPosition, includeUiTree } = observation
    const isLooking =
      observation.includeScreenShot || observation.includeImage || observation.screenShotPutUrl !== undefined
    const hasActed = actions.some(isActive)
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

  /** Turns what was seen into what the caller asked for. */
  async develop(
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
