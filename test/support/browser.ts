import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, BrowserContextOptions } from 'playwright-core'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { launchChromium } from './chromium.ts'

/** A real Chromium with its own profile. It is closed, and the profile deleted, after the tests of the file. */
export async function openBrowser(options?: BrowserContextOptions): Promise<BrowserContext> {
  const profile = await mkdtemp(join(tmpdir(), 'sandglass-browser-'))
  cleanup.defer(() => rm(profile, { recursive: true, force: true, maxRetries: 10 }))
  const browser = await launchChromium(profile, options)
  cleanup.defer(() => browser.close())
  return browser
}
