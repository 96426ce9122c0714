import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { desktopShapes } from './desktop-shape.ts'
import { World } from './support/world.ts'

/** `npm run screenshots`: pictures of every screen, light and dark, on a desktop and on a phone, for people to look at. */
const folder = join(import.meta.dirname, '../../screenshots')

const sizes = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
}

const screens = [
  'sandboxes /',
  'create /sandboxes/new',
  'images /images',
  'mcp-servers /mcp-servers',
  'playground /playground',
  'projects /projects',
  'usage /usage',
  'keys /keys',
  'webhooks /webhooks',
  'audit /audit',
  'account /account',
]
const tabs = [
  'screen',
  'terminal',
  'files',
  'ports',
  'applications',
  'snapshots',
  'timeline',
  'figures',
  'connect',
  'log',
]
const operatorScreens = ['nodes', 'sandboxes', 'organizations', 'images', 'settings', 'audit']

const programs = [
  'xterm -geometry 90x24+60+80 -e "top" &',
  'xterm -geometry 60x16+560+260 -e "sh -c \'cal; uname -a; cat\'" &',
]

test('every screen is drawn', async () => {
  const world = await World.start(await desktopShapes())
  const names = ['research', 'checkout flow', 'invoice download']
  for (const name of names)
    await world.owner.createSandbox({
      body: { name, shapeName: 'desktop', labels: { team: 'web' }, wait: 60 },
    })
  const all = await world.owner.listSandboxes()
  for (const [index, { id: sandboxId }] of all.entries())
    await world.owner.execSandboxProcess({
      sandboxId,
      body: { executable: 'sh', args: ['-c', `${programs[index % programs.length]} sleep 1`] },
    })
  const takeover = {
    type: 'client:user-takeover',
    message: 'Please sign in to the shop; the code is on your phone.',
  } as const
  await world.owner.executeSandboxAction({ sandboxId: all[0]?.id ?? '', body: { action: takeover } })
  await mkdir(folder, { recursive: true })
  for (const [size, viewport] of Object.entries(sizes))
    for (const colorScheme of ['light', 'dark'] as const) {
      const options = { viewport, colorScheme }
      const owner = await world.browserOf(world.installation.credentials.apiKey, options)
      for (const screen of screens) {
        const [name = '', path = ''] = screen.split(' ')
        await draw(owner, world.url + path, `${name}-${size}-${colorScheme}`)
      }
      for (const tab of tabs)
        await draw(
          owner,
          `${world.url}/sandboxes/${world.sandboxId}?tab=${tab}`,
          `sandbox-${tab}-${size}-${colorScheme}`,
        )
      await draw(owner, `${world.url}/docs`, `docs-${size}-${colorScheme}`)
      await owner.close()
      const operator = await world.browserOf(world.installation.credentials.operatorKey, options)
      for (const name of operatorScreens)
        await draw(operator, `${world.url}/operator/${name}`, `operator-${name}-${size}-${colorScheme}`)
      await operator.close()
      const nobody = await world.emptyBrowser(options)
      await draw(nobody, `${world.url}/sign-in`, `sign-in-${size}-${colorScheme}`)
      await nobody.close()
    }
})

async function draw(browser: BrowserContext, url: string, name: string): Promise<void> {
  const page = await browser.newPage()
  await page.goto(url)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await settle(page)
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await page.close()
}

/** Pictures of machines and plots arrive after the page. */
async function settle(page: Page): Promise<void> {
  await page.getByText('Loading…').first().waitFor({ state: 'detached' })
  await page.waitForTimeout(1500)
}
