import { Sandglass } from '@sandglass/client'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser } from '../../support/browser.ts'
import { MachineInstallation } from '../../support/machine-installation.ts'
import { makeSandboxes } from '../../support/machine-process.ts'
import { signIn } from './sign-in.ts'

/** Colours change at once, so that none is looked at while it changes. */
const still = { reducedMotion: 'reduce' } as const

interface WorldOptions {
  readonly image?: string
  /** A file with shapes. */
  readonly shapes?: string
}

/** A service with a real machine, and browsers in front of it. The screens of the dashboard share it, because each start takes long. */
export class World {
  readonly installation: MachineInstallation
  /** The sandbox that screens look at. None of them ends it. */
  readonly sandboxId: string
  /** Calls the API as the owner of the organization. */
  readonly owner: Sandglass
  /** A browser in which the owner is signed in. */
  readonly browser: BrowserContext

  private constructor(
    installation: MachineInstallation,
    sandboxId: string,
    owner: Sandglass,
    browser: BrowserContext,
  ) {
    this.installation = installation
    this.sandboxId = sandboxId
    this.owner = owner
    this.browser = browser
  }

  /** With another image than the smallest, its shape has the name of the image. */
  static async start({ image = 'minimal', shapes }: WorldOptions = {}): Promise<World> {
    const installation = await MachineInstallation.start({
      images: [image],
      ...(shapes && { shapes }),
      env: { SANDGLASS_DISK_OVERCOMMIT: '10', SANDGLASS_OUTBOUND_PRIVATE: '127.0.0.1/32' },
    })
    const { url, orgId, apiKey } = installation.credentials
    const [sandboxId = ''] = await makeSandboxes(installation.credentials, 1, shapes ? image : 'small')
    const browser = await openBrowser(still)
    await signIn(browser, url, apiKey)
    return new World(installation, sandboxId, new Sandglass({ url, orgId, apiKey }), browser)
  }

  get url(): string {
    return this.installation.credentials.url
  }

  /** A browser of another person. */
  async browserOf(key: string, options?: BrowserContextOptions): Promise<BrowserContext> {
    const browser = await openBrowser({ ...still, ...options })
    await signIn(browser, this.url, key)
    return browser
  }

  /** A browser in which nobody is signed in. */
  emptyBrowser(options?: BrowserContextOptions): Promise<BrowserContext> {
    return openBrowser({ ...still, ...options })
  }

  /** A tab of the owner, or of whoever this browser belongs to. */
  async open(path: string, browser = this.browser): Promise<Page> {
    const page = await browser.newPage()
    await page.goto(this.url + path)
    return page
  }
}
