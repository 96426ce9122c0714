import { isDesktopAction, isPhoneAction, performOnDesktop, performOnPhone } from '@sandglass/machines/actions'
import {
  type Frame,
  type Look,
  type Machine,
  MachineError,
  type Rect,
  type Rest,
  type Screen,
  type ScreenSize,
} from '@sandglass/machines/contract'
import type { RequestedAction } from '@sandglass/protocol'
import type {
  Capture,
  CaptureChoice,
  Looked,
  LookRequest,
  Performed,
  RunningScreen,
  SettleRequest,
  Thumbnail,
} from '../contract/index.ts'
import type { Encoders } from '../encoding/encoders.ts'
import { LatestFrame } from '../raw/latest-frame.ts'
import type { RawFile } from '../raw/raw-file.ts'
import { FrameCapture } from './frame-capture.ts'
import { RawCapture } from './raw-capture.ts'
import { Thumbnails } from './thumbnails.ts'

/** Clients give up after 10 s. A machine takes longer to come to rest than its screen: programs start, pages load. */
const machineTimeoutMs = 9000
const screenTimeoutMs = 2000

/** The screen of a machine that is open in this process. */
export class DirectScreen implements RunningScreen {
  readonly #machine: Machine
  readonly #encoders: Encoders
  readonly #tenant: () => string
  /** The last picture that was taken, and where the pointer was. */
  #last: { readonly capture: Capture; readonly pointer: Frame['pointer'] } | undefined
  readonly #thumbnails: Thumbnails
  readonly #raw: { readonly file: RawFile; readonly latest: LatestFrame } | undefined

  /** `tenant` says whose turn it is at the encoders. Frames wait in the file, if there is one. */
  constructor(machine: Machine, encoders: Encoders, tenant: () => string, file?: RawFile) {
    this.#machine = machine
    this.#encoders = encoders
    this.#tenant = tenant
    this.#thumbnails = new Thumbnails(() => machine.screen, encoders, tenant)
    // A machine that has no screen says so when one looks at it.
    const screen: Pick<Screen, 'look'> = { look: memory => machine.screen.look(memory) }
    this.#raw = file && { file, latest: new LatestFrame(screen, file) }
  }

  close(): void {
    this.#raw?.latest.close()
  }

  size(): Promise<ScreenSize> {
    return this.#machine.screen.size()
  }

  async perform(
    action: RequestedAction,
    { look, signal }: { readonly look?: LookRequest; readonly signal: AbortSignal },
  ): Promise<Performed> {
    // Several actions without a look belong together, and what follows is compared with what was before the first.
    if (!look || look.settle?.until === 'machine') this.#machine.screen.begin?.()
    const result = await this.#act(action, signal)
    return { result, looked: look && (await this.look(look, signal)) }
  }

  async #act(action: RequestedAction, signal: AbortSignal): Promise<unknown> {
    const { screen, phone } = this.#machine
    if (phone && isPhoneAction(action)) return performOnPhone(action, phone, screen, signal)
    if (!phone && isDesktopAction(action)) return performOnDesktop(action, screen, signal)
    throw new MachineError('INVALID', `this kind of machine does not perform ${action.type}`)
  }

  async look(
    { drawn, settle, picture, cursor, elements }: LookRequest,
    signal: AbortSignal,
  ): Promise<Looked> {
    if (drawn) await this.#machine.screen.drawn?.()
    const settled = settle && (await this.#settled(settle, signal))
    const [taken, at, seen] = await Promise.all([
      picture && this.#take(picture),
      cursor ? this.#cursor() : undefined,
      elements ? this.#elements() : undefined,
    ])
    return {
      changed: taken?.changed ?? [],
      ...(settled && { settled }),
      ...(taken && { capture: taken.capture }),
      ...(at && { cursor: at }),
      ...(seen && { elements: seen }),
    }
  }

  thumbnail(width: number, known?: string): Promise<Thumbnail> {
    return this.#thumbnails.get(width, known)
  }

  async begin(): Promise<void> {
    this.#machine.screen.begin?.()
  }

  async #settled({ quietMs, maxMs, until }: SettleRequest, signal: AbortSignal): Promise<Rest> {
    const { screen } = this.#machine
    if (until === 'machine' && screen.atRest)
      return screen.atRest({ quietMs, maxMs: maxMs ?? machineTimeoutMs, signal })
    const isQuiet = await screen.settled({ quietMs, maxMs: maxMs ?? screenTimeoutMs, signal })
    return isQuiet ? 'rest' : 'timeout'
  }

  async #take(choice: CaptureChoice): Promise<Taken> {
    if (this.#raw) return this.#raw.latest.look(look => this.#capture(look, choice))
    return this.#capture(await this.#machine.screen.look(this.#encoders.spareMemory.take()), choice)
  }

  /** Returns the previous capture again if the caller wants that and the screen looks the same. */
  async #capture({ frame, changed }: Look, choice: CaptureChoice): Promise<Taken> {
    const before = this.#last
    const isSame =
      before !== undefined &&
      before.capture === choice.unlessSameAs &&
      changed.length === 0 &&
      isSamePointer(before.pointer, frame.pointer)
    if (isSame) {
      if (!this.#raw) this.#encoders.spareMemory.give(frame.pixels)
      return { capture: before.capture, changed }
    }
    const capture = (await this.#rawCapture(frame, choice)) ?? this.#frameCapture(frame, choice)
    this.#last = { capture, pointer: frame.pointer }
    return { capture, changed }
  }

  async #rawCapture(frame: Frame, choice: CaptureChoice): Promise<Capture | undefined> {
    if (!this.#raw) return undefined
    const { file, latest } = this.#raw
    const raw = await latest.write(frame, choice)
    return raw && new RawCapture(frame, { file: file.name, frame: raw, fill: file.fill })
  }

  #frameCapture(frame: Frame, choice: CaptureChoice): Capture {
    // The memory of the latest frame is brought up to date by the next look.
    const own = this.#raw
      ? { ...frame, pixels: copy(frame.pixels, this.#encoders.spareMemory.take()) }
      : frame
    return new FrameCapture(this.#encoders, own, choice, this.#tenant())
  }

  async #cursor(): Promise<NonNullable<Looked['cursor']>> {
    const { screen } = this.#machine
    const [{ x, y }, size] = await Promise.all([(await screen.input()).taken(), screen.size()])
    return { x, y, screen: size }
  }

  async #elements(): Promise<NonNullable<Looked['elements']>> {
    const { screen } = this.#machine
    if (!screen.uiTree)
      return { error: new MachineError('INVALID', 'This kind of machine does not report its elements.') }
    try {
      return { tree: await screen.uiTree() }
    } catch (error) {
      return { error }
    }
  }
}

interface Taken {
  readonly capture: Capture
  readonly changed: readonly Rect[]
}

function copy(pixels: Uint8Array, memory: Uint8Array<ArrayBuffer> | undefined): Uint8Array<ArrayBuffer> {
  if (memory?.length !== pixels.length) return new Uint8Array(pixels)
  memory.set(pixels)
  return memory
}

function isSamePointer(a: Frame['pointer'], b: Frame['pointer']): boolean {
  return a.x === b.x && a.y === b.y && a.image === b.image
}
