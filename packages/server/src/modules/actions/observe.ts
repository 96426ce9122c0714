import { ApiError, type Observation } from '@sandglass/protocol'
import type { Capture, CaptureChoice, RunningMachine } from '@sandglass/workers/contract'
import type { Outbound } from '../../outbound/outbound.ts'
import type { PictureOwner } from '../../pictures/picture-owner.ts'
import type { Picture, Pictures } from '../../pictures/pictures.ts'

export type PictureChoice = Pick<Observation, 'screenShotFormat' | 'includePointer' | 'longestSide'>

interface Taken {
  readonly picture: Picture
  readonly capture: Capture
  readonly choice: PictureChoice
  readonly atMs: number
}

/**
 * A picture of an unchanged screen is reused for this long. The rest of its lifetime is long enough to fetch its URL.
 */
const reuseMs = 60_000

/** Published clients time out after 10 s, so the upload has to end earlier. */
const uploadTimeoutMs = 6000

/** Turns captures into pictures, and reuses the last one if nothing changed. */
export class Observer {
  readonly #pictures: Pictures
  readonly #outbound: Outbound
  readonly #taken = new WeakMap<RunningMachine, Taken>()

  constructor(pictures: Pictures, outbound: Outbound) {
    this.#pictures = pictures
    this.#outbound = outbound
  }

  /** Returns how to take the next picture. Await this before every capture, because too many may be pending. */
  async prepare(
    machine: RunningMachine,
    choice: PictureChoice,
    { orgId }: PictureOwner,
  ): Promise<CaptureChoice> {
    await this.#pictures.ready(orgId)
    const before = this.#taken.get(machine)
    return {
      format: choice.screenShotFormat,
      pointer: choice.includePointer,
      longestSide: choice.longestSide,
      unlessSameAs: before && isReusable(before, choice) ? before.capture : undefined,
    }
  }

  /** Returns the picture of a capture, which is the previous one if the capture is. */
  keep(machine: RunningMachine, capture: Capture, choice: PictureChoice, owner: PictureOwner): Picture {
    const before = this.#taken.get(machine)
    if (before?.capture === capture) return before.picture
    const picture = this.#pictures.keep(capture, { format: choice.screenShotFormat, owner })
    this.#taken.set(machine, {
      picture,
      capture,
      choice: dropUnneededScale(choice, capture),
      atMs: performance.now(),
    })
    return picture
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
function dropUnneededScale(choice: PictureChoice, { size: { width, height } }: Capture): PictureChoice {
  const isBounded = choice.longestSide !== undefined && Math.max(width, height) > choice.longestSide
  return isBounded ? choice : { ...choice, longestSide: undefined }
}

/** Whether the previous picture is what is asked for now, provided that the screen has not changed. */
function isReusable({ picture, capture, choice, atMs }: Taken, asked: PictureChoice): boolean {
  return (
    !picture.problem &&
    !picture.isEvicted &&
    performance.now() - atMs < reuseMs &&
    choice.screenShotFormat === asked.screenShotFormat &&
    choice.includePointer === asked.includePointer &&
    choice.longestSide === dropUnneededScale(asked, capture).longestSide
  )
}
