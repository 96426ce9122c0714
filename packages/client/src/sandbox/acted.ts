import type { ActionResult, BatchResult, RunTextResult, Settled, UiElement } from '@sandglass/protocol'
import { SandglassError } from '../errors.ts'
import type { Sandglass } from '../sandglass.ts'
import { type Shot, shotOf } from './shot.ts'

/** What came of an action. */
export interface Acted {
  /** The screen after the action has taken effect. Undefined if no screenshot was asked for. */
  readonly shot: Shot | undefined
  /** Where the pointer is, or where the finger was last. */
  readonly pointer: { readonly x: number; readonly y: number } | undefined
  /** Why the wait for the effect ended: `rest`, `background`, `timeout`, or `none` if there was no wait. */
  readonly settled: Settled | undefined
  /** The elements on the screen, if `tree` was set and they could be read. */
  readonly tree: readonly UiElement[] | undefined
  /** Why there is no tree although it was asked for. */
  readonly treeError: string | undefined
  /** What the action itself returned, such as a list of apps. */
  readonly value: unknown
}

/** What came of several actions. */
export interface ActedBatch extends Acted {
  /** One for each action that was tried. */
  readonly results: BatchResult['results']
  /** The areas of the screen that changed since the previous screenshot. */
  readonly changed: NonNullable<BatchResult['changed']>
}

/** What came of a model's text, and what was read from it. */
export interface ActedText
  extends ActedBatch,
    Pick<RunTextResult, 'actions' | 'thoughts' | 'memory' | 'unknown' | 'coordinates'> {}

/** One of several actions failed. Those before it were done, those after it were not tried. */
export class ActionFailedError extends SandglassError {
  /** Which action failed, counted from 0. */
  readonly failedIndex: number
  /** What came of the actions before it, with the screenshot after them. */
  readonly acted: ActedBatch

  constructor(failedIndex: number, acted: ActedBatch) {
    const { error } = acted.results[failedIndex] ?? {}
    super(`Action ${failedIndex} failed: ${error?.message ?? 'no reason is known.'}`, {
      code: error?.code ?? 'client.ACTION_FAILED',
    })
    this.failedIndex = failedIndex
    this.acted = acted
  }
}

export async function actedOf(client: Sandglass, result: ActionResult, format?: string): Promise<Acted> {
  const { cursorPosition: at, uiTree, uiTreeError, settled, actionResult } = result
  return {
    shot: await shotOf(client, result, format),
    pointer: at && { x: at.x, y: at.y },
    settled,
    tree: uiTree ?? undefined,
    treeError: uiTreeError,
    value: actionResult,
  }
}

/** Throws if one of the actions failed. */
export async function actedBatchOf(
  client: Sandglass,
  result: BatchResult,
  format?: string,
): Promise<ActedBatch> {
  const { results, changed = [], failedIndex } = result
  const value = results.at(-1)?.actionResult
  const acted = { ...(await actedOf(client, result, format)), value, results, changed }
  if (failedIndex !== undefined) throw new ActionFailedError(failedIndex, acted)
  return acted
}
