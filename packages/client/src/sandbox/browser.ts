import type { BrowserConnection } from '@sandglass/protocol'
import type { CallOptions } from '../call-options.ts'
import type { Input } from '../operations.ts'
import { reachableUrl } from './service-url.ts'
import type { Target } from './target.ts'

type StartBody = NonNullable<Input<'startSandboxBrowser'>['body']>

/** What the browser is started with, and how long its URLs work. */
export interface BrowserOptions
  extends CallOptions,
    Pick<StartBody, 'proxy' | 'locale' | 'extensions' | 'storageState'> {
  /** An hour by default. */
  readonly lifetimeSeconds?: number | undefined
}

/** The browser of a desktop that programs drive, in a window that people see. */
export class Browser {
  readonly #target: Target

  constructor(target: Target) {
    this.#target = target
  }

  /**
   * Starts the browser if it does not run, and returns URLs for clients of the Chrome DevTools Protocol. Whoever has one can drive the
   * browser. With options, the browser must not run with others.
   *
   * @example
   * const { wsUrl } = await box.browser.cdp({ locale: 'de-DE' })
   * const browser = await chromium.connectOverCDP(wsUrl) // of playwright-core
   */
  async cdp(options: BrowserOptions = {}): Promise<BrowserConnection> {
    const { client, sandboxId } = this.#target
    const { proxy, locale, extensions, storageState, lifetimeSeconds } = options
    const chosen = Object.entries({ proxy, locale, extensions, storageState }).filter(
      ([, one]) => one !== undefined,
    )
    const lifetime = lifetimeSeconds === undefined ? {} : { lifetimeSeconds }
    const made =
      chosen.length === 0
        ? await client.connectSandboxBrowser({ sandboxId, ...lifetime }, options)
        : await client.startSandboxBrowser(
            { sandboxId, body: { ...Object.fromEntries(chosen), ...lifetime } },
            options,
          )
    const { url } = await client.credentials()
    const httpUrl = reachableUrl(made.httpUrl, url, '/cdp/')
    return { ...made, httpUrl, wsUrl: httpUrl.replace(/^http/, 'ws') }
  }

  /**
   * Closes the browser, and revokes its URLs.
   *
   * @example
   * await box.browser.close()
   */
  async close(options: CallOptions = {}): Promise<void> {
    const { client, sandboxId } = this.#target
    await client.closeSandboxBrowser({ sandboxId }, options)
  }
}
