import { patienceMs } from '@sandglass/machines/testing'
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import { installMissing } from '../../packages/machines/src/engines/local/host/debian-packages.ts'

/** Debian's Chromium, since Playwright's would have to be downloaded. */
const debianChromium = { name: 'chromium', file: '/usr/bin/chromium', why: 'opens pages in tests' }

/** Only this box can be resolved, with names below .test too, and the browser sends no traffic of its own. */
const args = [
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP *.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1',
]

/** A real Chromium with its profile in this folder. The caller closes it. */
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
