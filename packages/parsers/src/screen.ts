import type { Action } from '@sandglass/protocol'

/** The kind of machine that the actions are for. */
export type Space = 'computer' | 'mobile'

/**
 * Sizes that the caller knows, in pixels. The image is what was given to the model, before the model's own processor
 * resized it; by default it has the size of the screen.
 */
export interface Screen {
  readonly screenWidth?: number
  readonly screenHeight?: number
  readonly imageWidth?: number
  readonly imageHeight?: number
}

export type Length = Extract<Action, { type: 'touch:tap' }>['x']
