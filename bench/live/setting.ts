import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connect } from '@sandglass/protocol'
import type { BrowserContext, Page } from 'playwright-core'
import { launchChromium } from '../../test/support/chromium.ts'
import { InMachine } from '../rivals/in-machine.ts'
import { type BenchSandbox, type BenchService, imagesDir, withService } from '../service.ts'
import { bridgeTo } from './bridge.ts'
import { Guest } from './guest.ts'
import { type LinkShape, narrowLinkTo } from './narrow-link.ts'
import { type Rival, servePages } from './pages.ts'
import { installProbe } from './probe.ts'

/** The rivals alternate, so that other load on the box affects both. */
export const turns: readonly Rival[] = ['noVNC', 'ours', 'noVNC', 'ours']

export interface Opened {
  readonly page: Page
  readonly firstMs: number
}

/** One desktop, and a page of each rival that shows it in Chromium at 1280x720. */
export interface Setting {
  readonly service: BenchService
  readonly guest: Guest
  /**
   * Opens a page. Both use a WebSocket over loopback or over the same link, so that the transport makes no
   * difference.
   */
  open(rival: Rival, link?: LinkShape): Promise<Opened>
}

export function withSetting<T>(work: (setting: Setting) => Promise<T>): Promise<T> {
  return withService({ shapes: [{ cpus: 2 }] }, async service => {
    await using undo = new AsyncDisposableStack()
    const sandbox = await service.create()
    const [machine] = await InMachine.open(service.folder, imagesDir)
    if (!machine) throw new Error('there is no machine')
    undo.defer(() => machine.close())
    const bridge = await bridgeTo(machine.machine)
    undo.defer(() => bridge.close())
    const pages = await servePages()
    undo.defer(() => pages.close())
    const browser = await openBrowser(undo)
    const guest = new Guest(machine)
    await guest.prepare()
    const portOver = async (port: number, shape: LinkShape | undefined) => {
      if (!shape) return port
      const link = await narrowLinkTo(port, shape)
      undo.defer(() => link.close())
      return link.port
    }
    return await work({
      service,
      guest,
      open: async (rival, link) =>
        open(browser, pages.url(rival), async () => {
          if (rival === 'noVNC') return `ws://127.0.0.1:${await portOver(bridge.port, link)}/`
          return byWebSocket(sandbox, port => portOver(port, link))
        }),
    })
  })
}

async function openBrowser(undo: AsyncDisposableStack): Promise<BrowserContext> {
  const profile = await mkdtemp(join(tmpdir(), 'sandglass-bench-browser-'))
  undo.defer(() => rm(profile, { recursive: true, force: true, maxRetries: 10 }))
  const browser = await launchChromium(profile)
  undo.defer(() => browser.close())
  await installProbe(browser)
  return browser
}

async function open(
  browser: BrowserContext,
  url: string,
  targetOf: () => Promise<Connect | string>,
): Promise<Opened> {
  const page = await browser.newPage()
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.goto(url)
  const target = await targetOf()
  await page.waitForFunction(() => window.openRival !== undefined)
  const firstMs = await page.evaluate(target => window.probe.firstPicture(target), target)
  await page.waitForFunction(() => window.isReady())
  return { page, firstMs }
}

async function byWebSocket(
  sandbox: BenchSandbox,
  portOver: (port: number) => Promise<number>,
): Promise<Connect> {
  const { connectDetails } = await sandbox.client.getSandbox({ sandboxId: sandbox.id })
  const details: Connect = connectDetails
  const way = details.gatewayAddresses.find(({ gatewayType }) => gatewayType === 'WEBSOCKET')
  if (!way) throw new Error('no WebSocket is listed')
  return { ...details, gatewayAddresses: [{ ...way, port: await portOver(way.port) }] }
}
