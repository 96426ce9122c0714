import type { DeviceShell } from '../../adb/device-shell.ts'
import { MachineError, type MachineErrorCode } from '../../contract/errors.ts'
import type { Stroke } from '../../contract/phone.ts'
import type { Point } from '../../contract/rect.ts'
import type { ScreenSize } from '../../contract/spec.ts'
import type { InputInjector } from './input-injector.ts'

const events = { down: 'DOWN', move: 'MOVE', up: 'UP' } as const

/** Uses the `input` command, which every Android has. */
export class ShellInjector implements InputInjector {
  readonly #shell: DeviceShell

  constructor(shell: DeviceShell) {
    this.#shell = shell
  }

  async size(): Promise<ScreenSize> {
    const { output } = await this.#shell.run(
      'dumpsys window displays | grep -m 1 -o "cur=[0-9]*x[0-9]*" || wm size',
    )
    const size = findSize(output)
    if (size) return size
    throw new MachineError('MACHINE_FAILED', 'The device does not report its screen size.')
  }

  async touch({ from, to, durationMs }: Stroke, signal?: AbortSignal): Promise<void> {
    const isTap = from.x === to.x && from.y === to.y && durationMs === 0
    signal?.throwIfAborted()
    await this.#input(
      isTap ? `tap ${from.x} ${from.y}` : `swipe ${from.x} ${from.y} ${to.x} ${to.y} ${durationMs}`,
    )
  }

  finger(phase: 'down' | 'move' | 'up', at: Point): Promise<void> {
    return this.#input(`motionevent ${events[phase]} ${at.x} ${at.y}`)
  }

  key(name: string): Promise<void> {
    return this.#input(`keyevent KEYCODE_${name}`, 'INVALID')
  }

  async #input(words: string, refusal: MachineErrorCode = 'MACHINE_FAILED'): Promise<void> {
    const { code, output } = await this.#shell.run(`input ${words}`)
    if (code !== 0) throw new MachineError(refusal, `The device refused input ${words}: ${firstLine(output)}`)
  }
}

/** The size at the end of the output. Only the last characters are searched, however long it is. */
export function findSize(output: string): ScreenSize | undefined {
  const [, width, height] = /(\d{1,5})x(\d{1,5})$/.exec(output.trimEnd().slice(-20)) ?? []
  return width && height ? { width: Number(width), height: Number(height) } : undefined
}

export function firstLine(output: string): string {
  return (output.trim().split('\n', 1)[0] ?? '').slice(0, 200)
}
