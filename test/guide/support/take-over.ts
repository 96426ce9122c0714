import type { BrowserContext, Page } from 'playwright-core'

/** The link to a live view that was printed. */
export function linkIn(printed: string): string | undefined {
  return /http:\S+\/view#\S+/.exec(printed)?.[0]
}

/** Opens a link to a live view, takes control, does something with mouse and keyboard, and hands back. */
export async function takeOver(
  browser: BrowserContext,
  link: string,
  act: (page: Page) => Promise<void>,
): Promise<void> {
  const page = await browser.newPage()
  await page.goto(link)
  await page.waitForFunction(() => (document.querySelector('canvas')?.width ?? 0) > 0)
  await page.getByRole('button', { name: 'Take control' }).click()
  await page.getByRole('button', { name: 'Hand back' }).waitFor()
  // The keyboard belongs to the screen once it was clicked.
  await page.locator('canvas').first().click()
  await act(page)
  await page.getByRole('button', { name: 'Hand back' }).click()
  await page.getByRole('button', { name: 'Take control' }).waitFor()
  await page.close()
}
