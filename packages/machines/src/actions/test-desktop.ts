import { text } from 'node:stream/consumers'
import type { Machine } from '../contract/machine.ts'
import type { Rect } from '../contract/rect.ts'
import { type TestEngine, testEngine, testSpec } from '../engines/local/test-engine.ts'
import { heldDownScript } from '../testing/held-down.ts'
import { waitFor } from '../testing/wait-for.ts'
import { type DesktopAction, performOnDesktop } from './perform-on-desktop.ts'

/** A length in pixels, as actions take it. */
export const px = (value: number) => ({ type: 'px', value }) as const

/** A desktop with real programs for the tests of one file. Close it, or its machine is left behind. */
export class TestDesktop {
  readonly machine: Machine
  readonly #test: TestEngine

  private constructor(machine: Machine, test: TestEngine) {
    this.machine = machine
    this.#test = test
  }

  static async start(): Promise<TestDesktop> {
    const test = await testEngine()
    try {
      const engine = test.open()
      const machine = await engine.open(await engine.create(testSpec({ cpus: 2, memoryMiB: 1024 })))
      return new TestDesktop(machine, test)
    } catch (error) {
      await test.dispose()
      throw error
    }
  }

  async close(): Promise<void> {
    this.machine.close()
    await this.#test.dispose()
  }

  perform(action: DesktopAction, signal?: AbortSignal): Promise<void> {
    return performOnDesktop(action, this.machine.screen, signal)
  }

  /** The number of keys that are down, and the modifiers and buttons that are. */
  async held(): Promise<string> {
    const process = await this.machine.exec({ executable: 'python3', args: ['-c', heldDownScript] })
    return (await text(process.stdout)).trim()
  }

  press(keys: string): Promise<void> {
    return this.perform({ type: 'keyboard:hotkey', keys })
  }

  type(content: string, treatNewLineAsEnter = true): Promise<void> {
    return this.perform({ type: 'keyboard:type', content, treatNewLineAsEnter })
  }

  /** Runs a script in the machine and returns what it prints. */
  async shell(script: string): Promise<string> {
    const process = await this.machine.exec({ executable: 'sh', args: ['-c', script] })
    return text(process.stdout)
  }

  /** Starts a program in the background, and waits until a window of this class has the focus. */
  async open(command: string, windowClass: string): Promise<void> {
    await this.shell(`${command} >/dev/null 2>&1 &`)
    await this.until(async () => (await this.focused()).includes(windowClass))
  }

  async focused(): Promise<string> {
    return this.shell(
      'xprop -id $(xprop -root _NET_ACTIVE_WINDOW | sed "s/.*# //") WM_CLASS 2>/dev/null || true',
    )
  }

  /** Fills a part of the root window with a colour, such as `ff0000`. */
  async fill({ x, y, width, height }: Rect, colour: string): Promise<void> {
    await this.shell(`python3 - <<'E'
import ctypes
x = ctypes.CDLL('libX11.so.6')
x.XOpenDisplay.restype = ctypes.c_void_p
x.XCreateGC.restype = ctypes.c_void_p
d = ctypes.c_void_p(x.XOpenDisplay(None))
root = ctypes.c_ulong(x.XDefaultRootWindow(d))
gc = ctypes.c_void_p(x.XCreateGC(d, root, 0, None))
x.XSetForeground(d, gc, ctypes.c_ulong(0x${colour}))
x.XFillRectangle(d, root, gc, ${x}, ${y}, ${width}, ${height})
x.XSync(d, 0)
E`)
  }

  /** The colour of one pixel, such as `ff0000`. */
  async colourAt(x: number, y: number): Promise<string> {
    const { frame } = await this.machine.screen.look()
    const at = 4 * (y * frame.width + x)
    return Buffer.from(frame.pixels.subarray(at, at + 3)).toString('hex')
  }

  until(isTrue: () => Promise<boolean>): Promise<void> {
    return waitFor(isTrue)
  }
}
