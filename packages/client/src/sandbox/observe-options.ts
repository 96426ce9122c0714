import type { CallOptions } from '../call-options.ts'

/** How long to wait until what was done has taken effect. */
export interface SettleOptions {
  /** The wait ends once nothing has happened for this long. 100 ms by default. */
  readonly quietMs?: number | undefined
  /** The wait ends after this long in any case. */
  readonly timeoutMs?: number | undefined
  /** Whether only the picture has to be still, or also the programs that were started or made to work, which is the default. */
  readonly until?: 'screen' | 'machine' | undefined
}

/** How a screenshot is taken. */
export interface PictureOptions {
  /** WebP by default. */
  readonly format?: 'webp' | 'png' | 'jpeg' | undefined
  /** Whether the screenshot shows the mouse pointer, which it does by default. */
  readonly pointer?: boolean | undefined
  /** A URL to which the service also uploads the screenshot. */
  readonly uploadTo?: string | undefined
}

/** What is reported after an action. */
export interface ObserveOptions extends PictureOptions, CallOptions {
  /** How to wait until the action has taken effect. `false` does not wait. */
  readonly settle?: SettleOptions | false | undefined
  /** Whether to take a screenshot, which is the default. Without one (and without `image` and `tree`) there is no wait. */
  readonly screenshot?: boolean | undefined
  /** Whether the answer contains the bytes of the screenshot. `shot.load()` fetches them later. */
  readonly image?: boolean | undefined
  /** Whether the answer contains the elements on the screen. */
  readonly tree?: boolean | undefined
}

/** The fields of a request. What is left out has the default of the service. */
export function pictureFields({ format, pointer, uploadTo }: PictureOptions) {
  return {
    ...(format !== undefined && { screenShotFormat: format }),
    ...(pointer !== undefined && { includePointer: pointer }),
    ...(uploadTo !== undefined && { screenShotPutUrl: uploadTo }),
  }
}

export function observationFields(options: ObserveOptions) {
  const { settle, screenshot, image, tree } = options
  return {
    ...pictureFields(options),
    ...(settle !== undefined && { settle: settle === false ? ('none' as const) : settled(settle) }),
    ...(screenshot !== undefined && { includeScreenShot: screenshot }),
    ...(image !== undefined && { includeImage: image }),
    ...(tree !== undefined && { includeUiTree: tree }),
  }
}

function settled({ quietMs, timeoutMs, until }: SettleOptions) {
  return {
    ...(quietMs !== undefined && { quietMs }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(until !== undefined && { until }),
  }
}
