import type { ScreenSize } from '@sandglass/machines/contract'
import type { RequestedAction } from '@sandglass/protocol'
import type { Caller } from '@sandglass/rpc'
import type {
  Capture,
  EncodedPicture,
  Looked,
  LookRequest,
  Performed,
  RawPicture,
  RunningScreen,
  SettleRequest,
  Thumbnail,
} from '../contract/index.ts'
import { machineErrors } from '../errors.ts'
import type { screenMethods, WireLook, WireLooked } from './screen-methods.ts'

type ScreenCaller = Pick<Caller<typeof screenMethods>, 'call' | 'start'>

/** The screen of a machine that is open in a worker. */
export class RemoteScreen implements RunningScreen {
  readonly #caller: ScreenCaller
  readonly #machine: string
  readonly #file: string
  #last: RemoteCapture | undefined

  /** `file` is the name of the worker's file for frames, if it has one. */
  constructor(caller: ScreenCaller, machine: string, file = '') {
    this.#caller = caller
    this.#machine = machine
    this.#file = file
  }

  size(): Promise<ScreenSize> {
    return this.#caller.call('screen.size', { machine: this.#machine })
  }

  async perform(
    action: RequestedAction,
    { look, signal }: { readonly look?: LookRequest; readonly signal: AbortSignal },
  ): Promise<Performed> {
    const args = { machine: this.#machine, action, ...(look && { look: this.#wireOf(look) }) }
    const { result, looked } = await this.#caller.call('screen.perform', args, { signal })
    return { result, looked: looked && this.#lookedOf(looked) }
  }

  async look(request: LookRequest, signal: AbortSignal): Promise<Looked> {
    const args = { machine: this.#machine, look: this.#wireOf(request) }
    return this.#lookedOf(await this.#caller.call('screen.look', args, { signal }))
  }

  async thumbnail(width: number, known?: string): Promise<Thumbnail> {
    const args = { machine: this.#machine, width, ...(known !== undefined && { known }) }
    const { value, bytes } = await this.#caller.start('screen.thumbnail', args).answer
    const { tag, isKnown } = value
    // A copy, because the bytes may be a part of a larger buffer, which the picture would keep alive.
    return isKnown ? { tag } : { tag, body: new Uint8Array(bytes) }
  }

  begin(): Promise<void> {
    return this.#caller.call('screen.begin', { machine: this.#machine })
  }

  #wireOf(request: LookRequest): WireLook {
    const { drawn = false, settle, picture, cursor = false, elements = false } = request
    const { unlessSameAs, longestSide, format, pointer } = picture ?? {}
    return {
      drawn,
      cursor,
      elements,
      ...(settle && { settle: wireSettle(settle) }),
      ...(format && {
        picture: {
          format,
          pointer: pointer ?? false,
          ...(longestSide !== undefined && { longestSide }),
          ...(unlessSameAs && unlessSameAs === this.#last && { unlessSameAs: this.#last.number }),
        },
      }),
    }
  }

  #lookedOf({ settled, capture, changed, cursor, tree, treeError }: WireLooked): Looked {
    return {
      changed,
      ...(settled && { settled }),
      ...(capture && { capture: this.#captureOf(capture) }),
      ...(cursor && { cursor }),
      ...(tree && { elements: { tree } }),
      ...(treeError && { elements: { error: machineErrors.revive(treeError) } }),
    }
  }

  #captureOf({ raw, ...capture }: NonNullable<WireLooked['capture']>): Capture {
    if (this.#last?.number !== capture.number)
      this.#last = new RemoteCapture(
        this.#caller,
        this.#machine,
        capture,
        raw && { file: this.#file, ...raw },
      )
    return this.#last
  }
}

function wireSettle({ quietMs, until, maxMs }: SettleRequest): NonNullable<WireLook['settle']> {
  return { quietMs, until, ...(maxMs !== undefined && { maxMs }) }
}

/** A capture whose frame is in a worker. */
class RemoteCapture implements Capture {
  readonly number: number
  readonly size: ScreenSize
  readonly frameBytes: number
  readonly raw: RawPicture | undefined
  readonly #caller: ScreenCaller
  readonly #machine: string

  constructor(
    caller: ScreenCaller,
    machine: string,
    { number, size, frameBytes }: Omit<NonNullable<WireLooked['capture']>, 'raw'>,
    raw: RawPicture | undefined,
  ) {
    this.#caller = caller
    this.#machine = machine
    this.number = number
    this.size = size
    this.frameBytes = frameBytes
    this.raw = raw
  }

  async encode(): Promise<EncodedPicture> {
    const args = { machine: this.#machine, capture: this.number }
    const { value, bytes } = await this.#caller.start('picture.encode', args).answer
    // A copy, because the bytes may be a part of a larger buffer, which the picture would keep alive.
    return { ...value, body: new Uint8Array(bytes) }
  }

  prioritize(): void {
    // A capture that was encoded meanwhile needs no priority.
    this.#caller.call('picture.prioritize', { machine: this.#machine, capture: this.number }).catch(() => {})
  }
}
