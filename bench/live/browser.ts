import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connect } from '@sandglass/protocol'
import type { BrowserContext, Page } from 'playwright-core'
import { launchChromium } from '../../test/support/chromium.ts'
import type { BenchSandbox } from '../service.ts'
import { installProbe } from './probe.ts'

export interface Opened {
  readonly page: Page
  readonly firstMs: number
}

/** Opens Chromium with the probe in its pages, and notes how to close it. */
export async function openBrowser(undo: AsyncDisposableStack): Promise<BrowserContext> {
  const profile = await mkdtemp(join(tmpdir(), 'sandglass-bench-browser-'))
  undo.defer(() => rm(profile, { recursive: true, force: true, maxRetries: 10 }))
  const browser = await launchChromium(profile)
  undo.defer(() => browser.close())
  await installProbe(browser)
  return browser
}

/** Opens a page at 1280x720 that shows what `targetOf` names. */
export async function openPage(
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

/** The way to a sandbox over a WebSocket, whose port `portOver` may replace. */
export async function byWebSocket(
  sandbox: BenchSandbox,
  portOver: (port: number) => Promise<number> = async port => port,
): Promise<Connect> {
  const { connectDetails } = await sandbox.client.getSandbox({ sandboxId: sandbox.id })
  const details: Connect = connectDetails
  const way = details.gatewayAddresses.find(({ gatewayType }) => gatewayType === 'WEBSOCKET')
  if (!way) throw new Error('no WebSocket is listed')
  return { ...details, gatewayAddresses: [{ ...way, port: await portOver(way.port) }] }
}
