import { heldDownScript, waitFor } from '@sandglass/machines/testing'
import { runIn } from './sandbox-programs.ts'
import type { TestService } from './test-service.ts'

/** Paints the root window in one colour. */
const paintScript = `
import ctypes, sys
x = ctypes.CDLL('libX11.so.6')
x.XOpenDisplay.restype = ctypes.c_void_p
x.XDefaultRootWindow.restype = ctypes.c_ulong
d = ctypes.c_void_p(x.XOpenDisplay(None))
root = ctypes.c_ulong(x.XDefaultRootWindow(d))
x.XSetWindowBackground(d, root, ctypes.c_ulong(int(sys.argv[1], 16)))
x.XClearWindow(d, root)
x.XSync(d, 0)
`

/** Inspects and changes the desktop of a sandbox with programs that run inside it. */
export class LiveDesktop {
  readonly #service: TestService
  readonly sandbox: string

  constructor(service: TestService, sandbox: string) {
    this.#service = service
    this.sandbox = sandbox
  }

  async shell(script: string): Promise<string> {
    const { stdout } = await runIn(this.#service, this.sandbox, { executable: 'sh', args: ['-c', script] })
    return stdout
  }

  async pointer(): Promise<{ x: number; y: number }> {
    const [, x, y] = /X=(\d+)\nY=(\d+)/.exec(await this.shell('xdotool getmouselocation --shell')) ?? []
    return { x: Number(x), y: Number(y) }
  }

  async held(): Promise<{ keys: number; buttons: number }> {
    const args = ['-c', heldDownScript]
    const { stdout } = await runIn(this.#service, this.sandbox, { executable: 'python3', args })
    const [keys, , buttons] = stdout.trim().split(' ').map(Number)
    return { keys: keys ?? -1, buttons: buttons ?? -1 }
  }

  /** Paints the background in a colour such as ff0000. */
  async paint(colour: string): Promise<void> {
    const args = ['-c', paintScript, colour]
    await runIn(this.#service, this.sandbox, { executable: 'python3', args })
  }

  /** Opens an empty file in an editor, and waits until the editor has the keyboard focus. */
  async openEditor(file: string): Promise<void> {
    await this.shell(`touch ${file}; l3afpad ${file} >/dev/null 2>&1 &`)
    const focused = 'xprop -id $(xprop -root _NET_ACTIVE_WINDOW | sed "s/.*# //") WM_NAME 2>/dev/null || true'
    const name = file.replace(/.*\//, '')
    await waitFor(async () => (await this.shell(focused)).includes(name))
  }
}
