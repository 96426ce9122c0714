import type { Action } from '@sandglass/protocol'

/** The kind of machine that actions are for. */
export type Space = 'computer' | 'mobile'

/**
 * What the caller knows about sizes, in pixels. The image is what was given to the model, before the
 * model's own processor resized it; without one it is taken to be as large as the screen.
 */
export interface Screen {
  readonly screenWidth?: number
  readonly screenHeight?: number
  readonly imageWidth?: number
  readonly imageHeight?: number
}

export type Length = Extract<Action, { type: 'touch:tap' }>['x']
