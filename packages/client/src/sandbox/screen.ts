import type { BatchResult, ElementName, UiElement } from '@sandglass/protocol'
import type { CallOptions } from '../call-options.ts'
import { SandglassError, UnavailableError } from '../errors.ts'
import { actAll, actOnce } from './act.ts'
import type { Acted, ActedBatch } from './acted.ts'
import { Deadline } from './deadline.ts'
import { type ObserveOptions, type PictureOptions, pictureFields } from './observe-options.ts'
import { type Shot, shotOf } from './shot.ts'
import type { Target } from './target.ts'
import type { Direction } from './touch.ts'

export interface ScreenshotOptions extends PictureOptions, CallOptions {
  /** Whether to wait until the screen does not change any more. After an action that is not needed: actions wait themselves. */
  readonly settle?: boolean | StillOptions | undefined
  /** `false` leaves out the bytes, for callers that only need the URL. `load()` fetches them later. */
  readonly bytes?: boolean | undefined
}

export interface StillOptions {
  /** For how long nothing may change. 200 ms by default. */
  readonly quietMs?: number | undefined
  /** How long to wait at most. 10 s by default; the screenshot is taken then in any case. */
  readonly timeoutMs?: number | undefined
}

/** Areas of the screen. */
export type Areas = NonNullable<BatchResult['changed']>

/** What to look for on the screen. All given fields must match. */
export type ElementQuery = Partial<Pick<UiElement, 'role' | 'name' | 'text' | 'id'>>

/** The screen of a desktop or a phone. */
export class Screen {
  readonly #target: Target

  constructor(target: Target) {
    this.#target = target
  }

  /**
   * Takes a screenshot, in one request.
   *
   * @example
   * const shot = await box.screen.screenshot({ format: 'png', settle: true })
   */
  async screenshot(options: ScreenshotOptions = {}): Promise<Shot> {
    const { client, sandboxId } = this.#target
    const { settle, bytes = true } = options
    if (settle) await this.#untilStill(settle === true ? {} : settle, options)
    const body = { ...pictureFields(options), includeImage: bytes }
    const result = await client.previewSandbox({ sandboxId, body }, options)
    const shot = await shotOf(client, result, options.format)
    if (!shot)
      throw new SandglassError('The service returned no screenshot.', { code: 'client.WRONG_SERVICE' })
    // One that is too large for the answer is fetched.
    if (bytes && !shot.isLoaded) await shot.load(options)
    return shot
  }

  /**
   * Says which areas changed since the previous screenshot, with a new one.
   *
   * @example
   * const { areas, shot } = await box.screen.changes()
   * if (areas.length === 0) console.log('nothing happened')
   */
  async changes(options: ScreenshotOptions = {}): Promise<{ readonly areas: Areas; readonly shot: Shot }> {
    const { bytes = true, settle: _, ...rest } = options
    const { shot, changed } = await this.#look({ ...rest, image: bytes })
    if (!shot)
      throw new SandglassError('The service returned no screenshot.', { code: 'client.WRONG_SERVICE' })
    if (bytes && !shot.isLoaded) await shot.load(options)
    return { areas: changed, shot }
  }

  /**
   * Reads the elements on the screen, as programs describe them to assistive technology. Each parent is before its children.
   *
   * @example
   * for (const { role, name, bounds } of await box.screen.tree()) console.log(role, name, bounds)
   */
  async tree(options: CallOptions = {}): Promise<readonly UiElement[]> {
    const { tree, treeError } = await actOnce(
      this.#target,
      { type: 'screenshot' },
      { ...options, tree: true, screenshot: false },
    )
    if (tree) return tree
    throw new UnavailableError(treeError ?? 'The elements on the screen could not be read.', {
      code: 'client.NO_TREE',
    })
  }

  /**
   * Finds an element on the screen. Undefined if there is none.
   *
   * @example
   * const save = await box.screen.find({ role: 'button', name: 'Save' })
   * if (save) await box.screen.click(save)
   */
  async find(query: ElementQuery, options: CallOptions = {}): Promise<UiElement | undefined> {
    const wanted = Object.entries(query) as [keyof ElementQuery, string | undefined][]
    return (await this.tree(options)).find(element =>
      wanted.every(([name, value]) => value === undefined || element[name] === value),
    )
  }

  /**
   * Clicks or taps an element, if it is still as it was described.
   *
   * @example
   * await box.screen.click({ role: 'button', name: 'Save', path: '0/1/4' })
   */
  click(element: ElementName, options: ObserveOptions = {}): Promise<Acted> {
    return actOnce(this.#target, { type: 'os:clickElement', element: named(element) }, options)
  }

  /**
   * Replaces the text of a field.
   *
   * @example
   * const field = await box.screen.find({ role: 'edit' })
   * if (field) await box.screen.setText(field, 'example.org')
   */
  setText(element: ElementName, text: string, options: ObserveOptions = {}): Promise<Acted> {
    // The text of a field changes, so it does not identify it.
    const { text: _, ...field } = named(element)
    return actOnce(this.#target, { type: 'os:setElementText', element: field, text }, options)
  }

  /**
   * Scrolls an element. `down` shows what is further down.
   *
   * @example
   * await box.screen.scroll(list, 'down', { steps: 5 })
   */
  scroll(
    element: ElementName,
    direction: Direction,
    options: ObserveOptions & { readonly steps?: number | undefined } = {},
  ): Promise<Acted> {
    const { steps = 3 } = options
    return actOnce(
      this.#target,
      { type: 'os:scrollElement', element: named(element), direction, steps },
      options,
    )
  }

  /** The service waits, so each round is one request. */
  async #untilStill(
    { quietMs = 200, timeoutMs = 10_000 }: StillOptions,
    options: CallOptions,
  ): Promise<void> {
    const endMs = performance.now() + timeoutMs
    const deadline = new Deadline(options)
    const look = (waitMs: number) =>
      actAll(this.#target, [{ type: 'wait', duration: waitMs }], deadline.next('The screenshot'))
    for (let { changed } = await look(0); ; ) {
      if (performance.now() >= endMs) return
      ;({ changed } = await look(quietMs))
      if (changed.length === 0) return
    }
  }

  #look(options: ObserveOptions): Promise<ActedBatch> {
    return actAll(this.#target, [{ type: 'screenshot' }], options)
  }
}

/** Only what identifies an element is sent. */
function named({ role, name, path, id, text }: ElementName): ElementName {
  return {
    role,
    name,
    ...(path !== undefined && { path }),
    ...(id !== undefined && { id }),
    ...(text !== undefined && { text }),
  }
}
