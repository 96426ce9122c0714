import type { TestContext } from 'node:test'
import { Sandbox } from '@sandglass/client'
import type { BrowserContext, Page } from 'playwright-core'
import { assertAccessible } from './accessible.ts'
import type { World } from './world.ts'

/** The machine that the screens look at, to see what they have done in it. */
export function boxOf(world: World): Sandbox {
  return Sandbox.connect(world.sandboxId, { client: world.owner })
}

/** Opens the page of the sandbox at a tab. It is closed after the test, because every open page has connections. */
export async function openTab(
  t: TestContext,
  world: World,
  tab: string,
  browser?: BrowserContext,
): Promise<Page> {
  const page = await world.open(`/sandboxes/${world.sandboxId}?tab=${tab}`, browser)
  t.after(() => page.close())
  await page.getByRole('tab', { selected: true }).waitFor()
  return page
}

/** Whether everybody can use what is shown, in light and in dark. */
export async function assertUsable(page: Page): Promise<void> {
  await page.mouse.move(0, 0)
  // Another screen may have chosen a theme, which this browser keeps.
  await page.evaluate(() => localStorage.removeItem('sandglass-theme'))
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.waitForFunction(theme => document.documentElement.dataset['theme'] === theme, colorScheme)
    await assertAccessible(page)
  }
}
