import type { CallToolResult, ImageContent } from '@modelcontextprotocol/server'
import type { RequestedAction } from '@sandglass/protocol'
import type { Execution } from '../actions/execution.ts'
import { fitting } from '../actions/fitting.ts'
import type { Inside } from '../sandboxes/sandbox-router.ts'
import { Scale } from './scale.ts'

/** The picture is taken when nothing changed for so long, and at the latest after `maxMs`. */
const settle = { quietMs: 100, maxMs: 2000 }

export interface Sight {
  readonly image: ImageContent
  /** Between the picture and the screen. */
  readonly scale: Scale
  /** In pixels of the picture. */
  readonly pointer: { readonly x: number; readonly y: number }
  /** What the action itself gave, where it gives anything. */
  readonly result?: unknown
}

/** The screen of a sandbox and the hands on it, in the pixels of the pictures that a model sees. */
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
    return new Scale(await this.#inside.machine.screen.size(), this.#longestSide)
  }

  /** Acts, and looks when the screen has come to rest. */
  async act(action: RequestedAction): Promise<Sight> {
    const look = {
      ...({ settle, screenShotFormat: 'webp', includePointer: true } as const),
      longestSide: this.#longestSide,
    }
    const { picture, cursorPosition, actionResult } = await this.#execution.oneSeen(
      ...([this.#inside, fitting(action, this.#inside.machine), look, this.#signal] as const),
    )
    const { type, body } = await picture.bytes()
    const { screenWidth: width, screenHeight: height } = cursorPosition
    const scale = new Scale({ width, height }, this.#longestSide)
    return {
      image: { type: 'image', data: body.toString('base64'), mimeType: type },
      scale,
      pointer: scale.toPicture(cursorPosition),
      ...(actionResult !== undefined && { result: actionResult }),
    }
  }
}

/** The picture first, then what is to be said of it. */
export function shown(
  { image, scale: { picture }, pointer }: Sight,
  text: string,
  more: Record<string, unknown> = {},
): CallToolResult {
  return {
    content: [image, { type: 'text', text }],
    structuredContent: { picture: { ...picture }, pointer: { ...pointer }, ...more },
  }
}
