import { patienceMs } from '@sandglass/machines/testing'
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import { installMissing } from '../../packages/machines/src/engines/local/host/debian-packages.ts'

/** Debian's own, since playwright's would be a download. */
const debianChromium = { name: 'chromium', file: '/usr/bin/chromium', why: 'opens pages in tests' }

/** Nothing is looked up but this box, and nothing of the browser's own goes out. */
const args = [
  ...['--disable-gpu', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
]

/** A real Chromium with its profile in this folder; whoever launches it closes it. */
export async function launchChromium(
  profile: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  await installMissing([debianChromium])
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: debianChromium.file,
    headless: true,
    chromiumSandbox: false,
    args,
    ...options,
    timeout: patienceMs,
  })
  browser.setDefaultTimeout(patienceMs)
  return browser
}
