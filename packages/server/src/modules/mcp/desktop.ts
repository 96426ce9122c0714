import type { CallToolResult, ImageContent } from '@modelcontextprotocol/server'
import type { RequestedAction, Settled } from '@sandglass/protocol'
import { Scale, type Size } from '@sandglass/protocol/tools'
import { fitted } from '@sandglass/workers/contract'
import type { Execution } from '../actions/execution.ts'
import { requireSupported } from '../actions/supported.ts'
import type { Inside } from '../sandboxes/sandbox-router.ts'

/** The picture is taken when the action has taken effect: when nothing has happened in the machine for `quietMs`. */
const settle = { quietMs: 100, until: 'machine' } as const

export interface ActionPicture {
  readonly image: ImageContent
  /** Converts between pixels of the picture and pixels of the screen. */
  readonly scale: Scale
  /** In pixels of the picture. */
  readonly pointer: { readonly x: number; readonly y: number }
  /** Why the wait for the effect of the action ended. */
  readonly settled: Settled
  /** The result of the action, if the action has one. */
  readonly result?: unknown
}

/** Acts on the screen of a sandbox. Coordinates are in pixels of the pictures that the model sees. */
export class Desktop {
  readonly #execution: Execution
  readonly #inside: Inside
  readonly #longestSide: number
  readonly #signal: AbortSignal

  constructor(execution: Execution, inside: Inside, longestSide: number, signal: AbortSignal) {
    this.#execution = execution
    this.#inside = inside
    this.#longestSide = longestSide
    this.#signal = signal
  }

  async scale(): Promise<Scale> {
    return this.#scaleOf(await this.#inside.machine.screen.size())
  }

  /** Performs an action, and takes a picture when it has taken effect. */
  async act(action: RequestedAction): Promise<ActionPicture> {
    const look = {
      settle,
      screenShotFormat: 'webp',
      includePointer: true,
      longestSide: this.#longestSide,
    } as const
    const { picture, cursorPosition, actionResult, settled } = await this.#execution.oneWithPicture(
      this.#inside,
      requireSupported(action, this.#inside.machine),
      look,
      this.#signal,
    )
    const { type, body } = await picture.bytes()
    const { screenWidth: width, screenHeight: height } = cursorPosition
    const scale = this.#scaleOf({ width, height })
    return {
      image: { type: 'image', data: body.toString('base64'), mimeType: type },
      scale,
      pointer: scale.toPicture(cursorPosition),
      settled,
      ...(actionResult !== undefined && { result: actionResult }),
    }
  }

  #scaleOf(screen: Size): Scale {
    return new Scale(screen, fitted(screen, this.#longestSide))
  }
}

/** Returns a tool result with the picture first and the text after it. */
export function pictureResult(
  { image, scale: { picture }, pointer, settled }: ActionPicture,
  text: string,
  more: Record<string, unknown> = {},
): CallToolResult {
  return {
    content: [image, { type: 'text', text }],
    structuredContent: { picture: { ...picture }, pointer: { ...pointer }, settled, ...more },
  }
}
