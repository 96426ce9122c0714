import type { ActionResult } from '@sandglass/protocol'
import type { CallOptions } from '../call-options.ts'
import { ConnectionError, errorClassOf, SandglassError, UnavailableError } from '../errors.ts'
import { readFailure } from '../read-failure.ts'
import type { Sandglass } from '../sandglass.ts'
import { bytesOf } from './base64.ts'
import { ownUrl, reachableUrl } from './service-url.ts'

const folder = '/screenshots/'

interface ShotParts {
  readonly url: string | undefined
  readonly problem: SandglassError | undefined
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
  readonly width: number
  readonly height: number
  readonly mimeType: string
}

/**
 * A screenshot.
 *
 * @example
 * const shot = await box.screenshot()
 * await writeFile('screen.webp', shot.bytes)
 */
export class Shot {
  /** In pixels of the screen. */
  readonly width: number
  readonly height: number
  /** `image/webp`, `image/png` or `image/jpeg`. */
  readonly mimeType: string
  readonly #client: Sandglass
  readonly #url: string | undefined
  readonly #problem: SandglassError | undefined
  #bytes: Uint8Array<ArrayBuffer> | undefined

  /** Made by {@link shotOf}. */
  constructor(client: Sandglass, { url, problem, bytes, width, height, mimeType }: ShotParts) {
    this.#client = client
    this.#url = url
    this.#problem = problem
    this.#bytes = bytes
    this.width = width
    this.height = height
    this.mimeType = mimeType
  }

  /**
   * Where the screenshot can be fetched without a credential, for some time. Whoever has the URL has the screenshot. Throws if the
   * service could not store it.
   */
  get url(): string {
    if (this.#url === undefined) throw this.#problem ?? missing()
    return this.#url
  }

  /** The encoded screenshot. Throws if it was not asked for, and was not loaded with `load()`. */
  get bytes(): Uint8Array<ArrayBuffer> {
    if (this.#bytes) return this.#bytes
    throw new SandglassError(
      'The bytes of this screenshot are not here yet. Call load() first, or pass image: true to the action.',
      { code: 'client.NOT_LOADED' },
    )
  }

  /** Whether `bytes` is there. */
  get isLoaded(): boolean {
    return this.#bytes !== undefined
  }

  /**
   * Fetches the bytes, unless they are there already.
   *
   * @example
   * const { shot } = await box.mouse.click(640, 360)
   * await writeFile('after.webp', await shot.load())
   */
  async load({ signal, timeoutMs = 60_000 }: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#bytes) return this.#bytes
    const { url: base } = await this.#client.credentials()
    const limit = AbortSignal.timeout(timeoutMs)
    const both = signal ? AbortSignal.any([signal, limit]) : limit
    try {
      const response = await this.#client.fetch(ownUrl(this.url, base, folder), { signal: both })
      if (!response.ok) throw await readFailure(response, base)
      this.#bytes = new Uint8Array(await response.arrayBuffer())
      return this.#bytes
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      if (cause instanceof SandglassError) throw cause
      throw new ConnectionError('The screenshot could not be fetched.', {
        code: 'client.DISCONNECTED',
        cause,
      })
    }
  }
}

/** The screenshot of an answer, if it has one. */
export async function shotOf(
  client: Sandglass,
  { screenShot, screenShotError, image, imageError, cursorPosition }: ActionResult,
  format = 'webp',
): Promise<Shot | undefined> {
  const failure = screenShotError ?? imageError
  if (screenShot === undefined && !image && !failure) return undefined
  const { url: base } = await client.credentials()
  return new Shot(client, {
    url: screenShot === undefined ? undefined : reachableUrl(screenShot, base, folder),
    problem: failure && new UnavailableError(failure.message, { code: failure.code }),
    bytes: image && bytesOf(image.base64),
    width: image?.width ?? cursorPosition?.screenWidth ?? 0,
    height: image?.height ?? cursorPosition?.screenHeight ?? 0,
    mimeType: image?.mediaType ?? `image/${format}`,
  })
}

function missing(): SandglassError {
  return new (errorClassOf(500))('The service returned no URL for this screenshot.', {
    code: 'client.NOT_LOADED',
  })
}
