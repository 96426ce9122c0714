import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'
import { installMissing } from '../../packages/machines/src/engines/local/debian-packages.ts'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'

/** Debian's own, since playwright's would be a download. */
const debianChromium = { name: 'chromium', file: '/usr/bin/chromium', why: 'opens pages in tests' }

/** Nothing is looked up but this box, and nothing of the browser's own goes out. */
const args = [
  ...['--disable-gpu', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
]

/** A real Chromium with a profile of its own, closed and forgotten after the tests of the file. */
export async function openBrowser(): Promise<BrowserContext> {
  await installMissing([debianChromium])
  const profile = await mkdtemp(join(tmpdir(), 'sandglass-browser-'))
  cleanup.defer(() => rm(profile, { recursive: true, force: true, maxRetries: 10 }))
  const browser = await chromium.launchPersistentContext(profile, {
    ...{ executablePath: debianChromium.file, headless: true, chromiumSandbox: false, args },
  })
  cleanup.defer(() => browser.close())
  return browser
}
