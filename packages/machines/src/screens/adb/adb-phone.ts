import { MachineError } from '../../contract/errors.ts'
import type { App, Phone, PhoneOptions, Stroke } from '../../contract/phone.ts'
import { AdbScreen } from './adb-screen.ts'
import { closeApp, listApps, startApp } from './apps.ts'
import { Device, type OpenLink } from './device.ts'
import { pressTogether } from './press-together.ts'
import type { ScreenVideo } from './screen-video.ts'
import { firstLine } from './shell-injector.ts'
import { clearText, enterText } from './text-entry.ts'

/** A phone that is controlled over ADB, whether it is real or simulated. */
export class AdbPhone implements Phone {
  readonly screen: AdbScreen
  readonly #device: Device

  constructor(openLink: OpenLink, video?: ScreenVideo) {
    this.#device = new Device(openLink)
    this.screen = new AdbScreen(this.#device, video)
  }

  async touch(stroke: Stroke, { signal }: PhoneOptions = {}): Promise<void> {
    await this.#device.use(({ injector }) => injector.touch(stroke, signal))
    const input = await this.screen.input()
    await input.move(stroke.to)
  }

  press(keys: readonly string[], { durationMs }: { readonly durationMs?: number } = {}): Promise<void> {
    return this.#device.use(async ({ injector, shell }) => {
      const [key] = keys
      if (keys.length === 1 && key && durationMs === undefined) return injector.key(key)
      if (keys.length > 1) return pressTogether(shell, keys)
      const { code, output } = await shell.run(`input keyevent --longpress KEYCODE_${key}`)
      if (code !== 0) throw new MachineError('INVALID', `The device cannot hold ${key}: ${firstLine(output)}`)
    })
  }

  type(text: string): Promise<void> {
    return this.#device.use(({ shell }) => enterText(shell, text))
  }

  clear(): Promise<void> {
    return this.#device.use(({ shell }) => clearText(shell))
  }

  apps(): Promise<readonly App[]> {
    return this.#device.use(({ shell }) => listApps(shell))
  }

  start(packageName: string): Promise<void> {
    return this.#device.use(({ shell }) => startApp(shell, packageName))
  }

  close(packageName: string): Promise<void> {
    return this.#device.use(({ shell }) => closeApp(shell, packageName))
  }
}
