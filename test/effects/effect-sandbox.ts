import sharp from 'sharp'

/** Calls a path below a sandbox. Every response must be a success. */
// biome-ignore lint/suspicious/noExplicitAny: each caller knows what its operation answers.
export type SandboxCall = (method: string, path: string, body?: unknown) => Promise<any>

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
  readonly #call: SandboxCall

  constructor(call: SandboxCall) {
    this.#call = call
  }

  /** Acts as an agent does with the default settings, and returns the screenshot of the response. */
  async act(action: object, more: object = {}): Promise<Acted> {
    const start = performance.now()
    const body = { action, includePointer: false, screenShotFormat: 'png', ...more }
    const { screenShot, settled } = await this.#call('POST', '/actions/execute', body)
    const waitMs = performance.now() - start
    return { picture: await pixelsAt(screenShot), settled, waitMs }
  }

  async look(): Promise<Pixels> {
    const look = { includePointer: false, screenShotFormat: 'png' }
    const { screenShot } = await this.#call('POST', '/preview', look)
    return pixelsAt(screenShot)
  }

  /** Performs actions of which no screenshot is needed. */
  async perform(...actions: object[]): Promise<void> {
    const body = { actions, includeScreenShot: false, includeCursorPosition: false }
    await this.#call('POST', '/actions/batch', body)
  }

  /** The middle of an element on the screen of a phone. */
  async element(name: string): Promise<{ readonly x: number; readonly y: number }> {
    const { uiTree } = await this.#call('POST', '/preview', { includeUiTree: true })
    const found = uiTree?.find(
      (element: { name: string; text?: string }) => element.name === name || element.text === name,
    )
    if (!found) throw new Error(`there is no element ${name} on the screen`)
    const { x, y, width, height } = found.bounds
    return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) }
  }

  /** Runs a script inside and returns what it prints. */
  async run(script: string): Promise<string> {
    const body = { executable: 'sh', args: ['-c', script] }
    const { stdoutBase64 } = await this.#call('POST', '/process', body)
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
