import type { ActionResult, BatchResult, RequestedAction } from '@sandglass/protocol'
import { type Point, Scale, type Size, ToolError } from '@sandglass/protocol/tools'
import type { CallOptions } from '../call-options.ts'
import type { Picture } from './outcome.ts'
import type { ToolOptions, ToolTarget } from './target.ts'

const defaultLongestSide = 1280

/** The screen after an action. */
export interface View {
  readonly picture: Picture
  /** In pixels of the picture. */
  readonly pointer: Point
  /** What the last action returned, such as a list of apps. */
  readonly value?: unknown
}

/** The machine that tools work on. Its pictures have one size, which is the size of the screen for the model. */
export class ToolMachine {
  readonly target: ToolTarget
  readonly isPhone: boolean
  readonly #options: ToolOptions
  #scale: Scale

  private constructor(target: ToolTarget, options: ToolOptions, isPhone: boolean, scale: Scale) {
    this.target = target
    this.#options = options
    this.isPhone = isPhone
    this.#scale = scale
  }

  /** Looks at the screen once to learn its size. */
  static async open(target: ToolTarget, options: ToolOptions, call: CallOptions = {}): Promise<ToolMachine> {
    const { client, id: sandboxId } = target
    const { sandbox } = await client.getSandbox({ sandboxId }, call)
    const same = { width: 1, height: 1 }
    const machine = new ToolMachine(target, options, sandbox.shape.os === 'Android', new Scale(same, same))
    await machine.look(call)
    return machine
  }

  /** Converts between pixels of the picture that the model saw last and pixels of the screen. */
  get scale(): Scale {
    return this.#scale
  }

  async look(call: CallOptions = {}): Promise<View> {
    const { client, id: sandboxId } = this.target
    return this.#viewOf(await client.previewSandbox({ sandboxId, body: this.#observation() }, call))
  }

  /** The screen in its own size, as PNG. */
  async lookClosely(call: CallOptions = {}): Promise<Picture> {
    const { client, id: sandboxId } = this.target
    const body = { includeImage: true, screenShotFormat: 'png' } as const
    return pictureOf(await client.previewSandbox({ sandboxId, body }, call))
  }

  async act(actions: readonly RequestedAction[], call: CallOptions = {}): Promise<View> {
    const { client, id: sandboxId } = this.target
    const body = { actions: [...actions], ...this.#observation() }
    return this.#viewOf(await client.executeSandboxActions({ sandboxId, body }, call))
  }

  /** Performs a tool call of a vendor's own format, which the service reads. */
  async actOn(type: 'anthropic' | 'openai', toolCall: object, call: CallOptions = {}): Promise<View> {
    const { client, id: sandboxId } = this.target
    const { width, height } = this.#scale.picture
    const body = {
      type,
      textContent: JSON.stringify(toolCall),
      imageWidth: width,
      imageHeight: height,
      ...this.#observation(),
    }
    return this.#viewOf(await client.runModelText({ sandboxId, body }, call))
  }

  #observation() {
    const { longestSide = defaultLongestSide, format = 'webp' } = this.#options
    return { includeImage: true, longestSide, screenShotFormat: format }
  }

  #viewOf(result: ActionResult | BatchResult): View {
    const picture = pictureOf(result)
    const { cursorPosition } = result
    if (cursorPosition) this.#scale = new Scale(screenOf(cursorPosition), sizeOf(picture))
    if ('failedIndex' in result && result.failedIndex !== undefined) {
      const { error } = result.results[result.failedIndex] ?? {}
      throw new ToolError(error ? `${error.message} (${error.code})` : 'The action failed.')
    }
    const value = 'results' in result ? result.results.at(-1)?.actionResult : undefined
    const pointer = cursorPosition ? this.#scale.toPicture(cursorPosition) : { x: 0, y: 0 }
    return { picture, pointer, value }
  }
}

function pictureOf({ image, imageError }: ActionResult | BatchResult): Picture {
  if (image) return image
  throw new ToolError(
    `The action was performed, but there is no picture of the screen: ${imageError?.message ?? 'none was taken.'} Take a screenshot.`,
  )
}

function screenOf({
  screenWidth: width,
  screenHeight: height,
}: {
  screenWidth: number
  screenHeight: number
}): Size {
  return { width, height }
}

function sizeOf({ width, height }: Picture): Size {
  return { width, height }
}
