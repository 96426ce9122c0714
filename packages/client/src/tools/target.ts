import type { Sandglass } from '../sandglass.ts'

/** What tools work on: a `Sandbox`, a `Phone`, or a client and the id of a sandbox. */
export interface ToolTarget {
  readonly id: string
  readonly client: Sandglass
}

/** What the tools of every style accept. */
export interface ToolOptions {
  /**
   * Pictures are scaled down until neither side is longer than this, and that is the size of the screen for the model. 1280 by
   * default, because models find places less exactly in larger pictures, or are given smaller ones by their API.
   */
  readonly longestSide?: number | undefined
  /** The format of pictures. WebP by default. */
  readonly format?: 'webp' | 'png' | 'jpeg' | undefined
  /** Which tools there are besides the screen. Both by default; a phone has neither. */
  readonly shell?: boolean | undefined
  readonly files?: boolean | undefined
}

/** What every run of tool calls accepts. */
export interface RunOptions {
  /** Ends the run. What the machine has begun may still be done. */
  readonly signal?: AbortSignal | undefined
}
