import type { Input, Sandglass } from '@sandglass/client'
import sharp from 'sharp'

type Actions = Input<'executeSandboxActions'>['body']['actions']
type Action = Actions[number]

/** The pixels of a screenshot, three bytes each. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}

export interface Acted {
  readonly picture: Pixels
  readonly settled: string
  readonly waitMs: number
}

/** A sandbox whose screenshots are compared. */
export class EffectSandbox {
  readonly #client: Sandglass
  readonly #sandboxId: string

  constructor(client: Sandglass, sandboxId: string) {
    this.#client = client
    this.#sandboxId = sandboxId
  }

  /** Acts as an agent does with the default settings, and returns the screenshot of the response. */
  async act(action: Action, more: object = {}): Promise<Acted> {
    const start = performance.now()
    const body = { action, includePointer: false, screenShotFormat: 'png' as const, ...more }
    const { screenShot = '', settled = '' } = await this.#client.executeSandboxAction({
      sandboxId: this.#sandboxId,
      body,
    })
    const waitMs = performance.now() - start
    return { picture: await pixelsAt(screenShot), settled, waitMs }
  }

  async look(): Promise<Pixels> {
    const body = { includePointer: false, screenShotFormat: 'png' as const }
    const { screenShot = '' } = await this.#client.previewSandbox({ sandboxId: this.#sandboxId, body })
    return pixelsAt(screenShot)
  }

  /** Performs actions of which no screenshot is needed. */
  async perform(...actions: Actions): Promise<void> {
    const body = { actions, includeScreenShot: false, includeCursorPosition: false }
    await this.#client.executeSandboxActions({ sandboxId: this.#sandboxId, body })
  }

  /** The middle of an element on the screen of a phone. */
  async element(name: string): Promise<{ readonly x: number; readonly y: number }> {
    const body = { includeUiTree: true }
    const { uiTree } = await this.#client.previewSandbox({ sandboxId: this.#sandboxId, body })
    const found = uiTree?.find(element => element.name === name || element.text === name)
    if (!found) throw new Error(`there is no element ${name} on the screen`)
    const { x, y, width, height } = found.bounds
    return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) }
  }

  /** Runs a script inside and returns what it prints. */
  async run(script: string): Promise<string> {
    const body = { executable: 'sh', args: ['-c', script] }
    const { stdoutBase64 } = await this.#client.execSandboxProcess({ sandboxId: this.#sandboxId, body })
    return Buffer.from(stdoutBase64, 'base64').toString()
  }
}

async function pixelsAt(url: string): Promise<Pixels> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  const { data, info } = await sharp(await response.arrayBuffer())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, data }
}
