import type { ActionResult } from '@sandglass/protocol'
import type { Looked } from '@sandglass/workers/contract'
import type { Picture } from '../../pictures/pictures.ts'

/** The parts of an observation that were requested. */
export interface ObservedParts {
  readonly picture: Picture | undefined
  readonly settled: Looked['settled']
  readonly changed: Looked['changed']
  /** Whether the response has the URL of the picture. */
  readonly isShown: boolean
  readonly image: Pick<ActionResult, 'image' | 'imageError'> | undefined
  readonly cursorPosition: ActionResult['cursorPosition']
  readonly elements: Pick<ActionResult, 'uiTree' | 'uiTreeError'> | undefined
  /** The reason why the picture was not uploaded. */
  readonly uploadError: string | undefined
}

/** Returns the fields of a response. */
export function resultOf({
  picture,
  isShown,
  image,
  cursorPosition,
  elements,
  uploadError,
  settled,
}: ObservedParts): ActionResult {
  return {
    ...(picture && isShown && screenShotOf(picture)),
    ...image,
    ...(cursorPosition && { cursorPosition }),
    ...elements,
    ...((picture || elements) && { settled: settled ?? 'none' }),
    ...(uploadError !== undefined && { screenShotPutError: uploadError }),
  }
}

/** Returns the error instead of the URL if the picture failed, because a caller would take the URL for a picture. */
function screenShotOf({ url, problem }: Picture): Pick<ActionResult, 'screenShot' | 'screenShotError'> {
  return problem ? { screenShotError: { code: problem.code, message: problem.message } } : { screenShot: url }
}

export function doneBy(actionResult: unknown): Pick<ActionResult, 'actionResult'> {
  return actionResult === undefined ? {} : { actionResult }
}
