import type { Input, MouseButton, TypeOptions } from '../../contract/input.ts'
import type { Point } from '../../contract/rect.ts'
import { androidKeys } from './android-keys.ts'
import type { Device } from './device.ts'
import { enterText } from './text-entry.ts'

/** One notch of a mouse wheel moves the finger by this fraction of the screen. */
const notch = 0.15
const wheelMs = 120

const wheels: Partial<Record<MouseButton, readonly [x: number, y: number]>> = {
  wheelUp: [0, 1],
  wheelDown: [0, -1],
  wheelLeft: [1, 0],
  wheelRight: [-1, 0],
}

/**
 * Translates mouse and keyboard input for a phone: the left button is a finger, the right button is Back, and a wheel
 * swipes.
 */
export class TouchInput implements Input {
  readonly #device: Device
  readonly #onMove: () => void
  #last: Promise<unknown> = Promise.resolve()
  #failure: unknown
  #isDown = false
  /** The last position of the finger. */
  place: Point = { x: 0, y: 0 }

  constructor(device: Device, onMove: () => void) {
    this.#device = device
    this.#onMove = onMove
  }

  async move(to: Point): Promise<void> {
    this.place = to
    this.#onMove()
    if (this.#isDown) this.#do(({ injector }) => injector.finger('move', to))
    await this.#last
  }

  press(button: MouseButton): void {
    const at = this.place
    const wheel = wheels[button]
    if (button === 'left') {
      this.#isDown = true
      this.#do(({ injector }) => injector.finger('down', at))
    } else if (button === 'right') this.#do(({ injector }) => injector.key('BACK'))
    else if (wheel)
      this.#do(async ({ injector }) => {
        const { width, height } = await injector.size()
        const to = {
          x: clamp(at.x + wheel[0] * notch * width, width),
          y: clamp(at.y + wheel[1] * notch * height, height),
        }
        await injector.touch({ from: at, to, durationMs: wheelMs })
      })
  }

  release(button: MouseButton): void {
    if (button !== 'left' || !this.#isDown) return
    this.#isDown = false
    const at = this.place
    this.#do(({ injector }) => injector.finger('up', at))
  }

  async prepare(): Promise<void> {}

  /** A phone has no keys that can be held, so a key is pressed when it goes down. */
  keyDown(keysym: number): void {
    const key = androidKeys(keysym)?.at(-1)
    if (key) this.#do(({ injector }) => injector.key(key))
  }

  keyUp(): void {}

  async releaseAll(): Promise<void> {
    this.release('left')
    await this.taken()
  }

  async taken(): Promise<Point> {
    await this.#last
    const failure = this.#failure
    this.#failure = undefined
    if (failure) throw failure
    return this.place
  }

  type(text: string, _options: TypeOptions): Promise<void> {
    return this.#device.use(({ shell }) => enterText(shell, text))
  }

  #do(work: Parameters<Device['use']>[0]): void {
    this.#last = this.#last
      .then(() => this.#device.use(work))
      .catch(error => {
        this.#failure ??= error
      })
  }
}

function clamp(value: number, extent: number): number {
  return Math.min(Math.max(Math.round(value), 0), extent - 1)
}
