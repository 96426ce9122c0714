import type { Frame, Machine, Rect } from '@sandglass/machines/contract'
import { type ActionResult, ApiError, type Observation } from '@sandglass/protocol'
import type { Outbound } from '../../outbound/outbound.ts'
import type { PictureOwner } from '../../pictures/picture-owner.ts'
import type { Picture, Pictures } from '../../pictures/pictures.ts'

type PictureChoice = Pick<Observation, 'screenShotFormat' | 'includePointer'> & {
  readonly longestSide?: number | undefined
}

interface Taken {
  readonly picture: Picture
  readonly pointer: Frame['pointer']
  readonly choice: PictureChoice
  readonly atMs: number
}

/**
 * A picture of an unchanged screen is reused for this long. The rest of its lifetime is long enough to fetch its URL.
 */
const reuseMs = 60_000

/** Published clients time out after 10 s, so the upload has to end earlier. */
const uploadTimeoutMs = 6000

export interface Observed {
  readonly picture: Picture
  readonly changed: readonly Rect[]
}

/** Takes pictures of screens, and reuses the last one if nothing changed. */
export class Observer {
  readonly #pictures: Pictures
  readonly #outbound: Outbound
  readonly #taken = new WeakMap<Machine, Taken>()

  constructor(pictures: Pictures, outbound: Outbound) {
    this.#pictures = pictures
    this.#outbound = outbound
  }

  /** Takes a picture of the screen, or returns the previous one if nothing changed since. */
  async take(machine: Machine, asked: PictureChoice, owner: PictureOwner): Promise<Observed> {
    await this.#pictures.ready(owner.orgId)
    const { frame, changed } = await machine.screen.look(this.#pictures.spareMemory.take())
    const choice = dropUnneededScale(asked, frame)
    const before = this.#taken.get(machine)
    const nowMs = performance.now()
    if (
      before &&
      !before.picture.problem &&
      !before.picture.isEvicted &&
      changed.length === 0 &&
      isSame(before, frame.pointer, choice, nowMs)
    ) {
      this.#pictures.spareMemory.give(frame.pixels)
      return { picture: before.picture, changed }
    }
    const picture = this.#pictures.keep(frame, {
      format: choice.screenShotFormat,
      pointer: choice.includePointer,
      longestSide: choice.longestSide,
      owner,
    })
    this.#taken.set(machine, { picture, pointer: frame.pointer, choice, atMs: nowMs })
    return { picture, changed }
  }

  async cursorPosition(machine: Machine): Promise<NonNullable<ActionResult['cursorPosition']>> {
    const input = await machine.screen.input()
    const [{ x, y }, { width, height }] = await Promise.all([input.taken(), machine.screen.size()])
    return { x, y, screenWidth: width, screenHeight: height, screenIndex: 0 }
  }

  /**
   * Uploads a picture. Returns the reason if it fails and does not throw, because the action before it cannot be
   * undone.
   */
  async upload(picture: Picture, url: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const { type, body } = await picture.bytes()
      await this.#outbound.put(url, body, {
        headers: { 'content-type': type },
        contentLength: body.length,
        signal: AbortSignal.any([signal, AbortSignal.timeout(uploadTimeoutMs)]),
      })
      return undefined
    } catch (error) {
      return error instanceof ApiError ? error.message : 'The upload did not end in time.'
    }
  }
}

/** Drops a size limit that the screen does not exceed, so that callers with and without the limit share one picture. */
function dropUnneededScale(choice: PictureChoice, { width, height }: Frame): PictureChoice {
  const isBounded = choice.longestSide !== undefined && Math.max(width, height) > choice.longestSide
  return isBounded ? choice : { ...choice, longestSide: undefined }
}

function isSame(before: Taken, pointer: Frame['pointer'], choice: PictureChoice, nowMs: number): boolean {
  return (
    nowMs - before.atMs < reuseMs &&
    before.choice.screenShotFormat === choice.screenShotFormat &&
    before.choice.includePointer === choice.includePointer &&
    before.choice.longestSide === choice.longestSide &&
    before.pointer.x === pointer.x &&
    before.pointer.y === pointer.y &&
    before.pointer.image === pointer.image
  )
}
