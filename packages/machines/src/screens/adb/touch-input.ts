import type { Input, MouseButton, TypeOptions } from '../../contract/input.ts'
import type { Point } from '../../contract/rect.ts'
import type { Device } from './device.ts'
import { DeviceQueue } from './device-queue.ts'
import { PhoneKeyboard } from './phone-keyboard.ts'
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
  readonly #queue: DeviceQueue
  readonly #keyboard: PhoneKeyboard
  readonly #onMove: () => void
  #isDown = false
  /** The last position of the finger. */
  place: Point = { x: 0, y: 0 }

  constructor(device: Device, onMove: () => void) {
    this.#queue = new DeviceQueue(device)
    this.#keyboard = new PhoneKeyboard(this.#queue)
    this.#onMove = onMove
  }

  async move(to: Point): Promise<void> {
    this.place = to
    this.#onMove()
    if (this.#isDown) this.#queue.do(({ injector }) => injector.finger('move', to))
    await this.#queue.done()
  }

  press(button: MouseButton): void {
    const at = this.place
    const wheel = wheels[button]
    if (button === 'left') {
      this.#isDown = true
      this.#queue.do(({ injector }) => injector.finger('down', at))
    } else if (button === 'right') this.#queue.do(({ injector }) => injector.key('BACK'))
    else if (wheel)
      this.#queue.do(async ({ injector }) => {
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
    this.#queue.do(({ injector }) => injector.finger('up', at))
  }

  /** The device takes one gesture after the other. */
  async released(): Promise<void> {}

  async prepare(): Promise<void> {}

  /** A phone has no keys that can be held, so a key is pressed when it goes down. */
  keyDown(keysym: number): void {
    this.#keyboard.down(keysym)
  }

  keyUp(keysym: number): void {
    this.#keyboard.up(keysym)
  }

  /** Sets the text that Ctrl+V enters from now on. */
  setPasted(text: string): void {
    this.#keyboard.pasted = text
  }

  async releaseAll(): Promise<void> {
    this.#keyboard.releaseAll()
    this.release('left')
    await this.taken()
  }

  async taken(): Promise<Point> {
    await this.#queue.taken()
    return this.place
  }

  async type(text: string, _options: TypeOptions): Promise<void> {
    this.#queue.do(({ shell }) => enterText(shell, text))
    await this.#queue.taken()
  }
}

function clamp(value: number, extent: number): number {
  return Math.min(Math.max(Math.round(value), 0), extent - 1)
}
