import type { Mapping } from '@sandglass/protocol'
import type { CallOptions } from '../call-options.ts'
import { NotFoundError } from '../errors.ts'
import { fetchAsHost } from './fetch-as-host.ts'
import type { Target } from './target.ts'

const tokenName = 'x-gateway-access-token'

/** A port of a sandbox that has an address. */
export class OpenPort implements AsyncDisposable {
  readonly port: number
  /** Ends with a slash. Each request needs the token, in the header `X-Gateway-Access-Token`. */
  readonly url: string
  readonly token: string
  readonly #target: Target
  readonly #targetEndpoint: string
  readonly #base: URL

  /** Made by `box.ports.open()`. */
  constructor(target: Target, { domain, targetEndpoint, accessToken }: Mapping, base: string) {
    this.#target = target
    this.#targetEndpoint = targetEndpoint
    this.#base = new URL(base)
    this.port = Number(targetEndpoint.slice(targetEndpoint.lastIndexOf(':') + 1))
    this.url = `${this.#base.protocol}//${domain}/`
    this.token = accessToken
  }

  /** The address for people: a browser that opens it keeps the token as a cookie. Whoever has the link has access. */
  get link(): string {
    return `${this.url}?${tokenName}=${encodeURIComponent(this.token)}`
  }

  /**
   * Fetches a path with the token, also where names below `localhost` do not resolve.
   *
   * @example
   * const response = await port.fetch('/api/items', { method: 'POST', body: '{}' })
   */
  fetch(path = '/', init: RequestInit = {}): Promise<Response> {
    const url = new URL(path, this.url)
    const headers = new Headers(init.headers)
    headers.set(tokenName, this.token)
    // Browsers resolve these names to the local host; other programs on plain systems do not.
    if (!url.hostname.endsWith('.localhost') || 'document' in globalThis)
      return this.#target.client.fetch(url, { ...init, headers })
    const { host } = url
    url.hostname = this.#base.hostname
    return fetchAsHost(url, host, { ...init, headers })
  }

  /**
   * Takes the address away.
   *
   * @example
   * await port.close()
   */
  async close(options: CallOptions = {}): Promise<void> {
    const { client, sandboxId } = this.#target
    const input = { sandboxId, targetEndpoint: this.#targetEndpoint }
    await client.deleteHttpMapping(input, options).catch(error => {
      if (!(error instanceof NotFoundError)) throw error
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
