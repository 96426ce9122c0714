import type { Rect } from '@sandglass/machines/contract'
import type { EffectSandbox } from './effect-sandbox.ts'

/** One kind of effect that an action can have, on a desktop or a phone. */
export interface EffectKind {
  readonly name: string
  /** Brings the sandbox to where the action is performed. */
  prepare?(sandbox: EffectSandbox): Promise<void>
  action(sandbox: EffectSandbox): Promise<object> | object
  /** Whether everything that the action causes has happened, apart from painting. */
  hasHappened?(sandbox: EffectSandbox): Promise<boolean>
  undo?(sandbox: EffectSandbox): Promise<void>
  readonly changesNothing?: boolean
  /** Where something else moves all the time. */
  readonly moving?: Rect
}

export const px = (value: number) => ({ type: 'px', value }) as const

export const clickAt = (x: number, y: number, button = 1) => ({
  type: 'mouse:click',
  x: px(x),
  y: px(y),
  button,
})

export const press = (keys: string) => ({ type: 'keyboard:hotkey', keys })
