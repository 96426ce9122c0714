import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'

/** Gives a browser a session, as the page for signing in does. */
export async function signIn(browser: BrowserContext, url: string, apiKey: string): Promise<void> {
  const response = await browser.request.post(`${url}/api/sessions`, { data: { apiKey } })
  assert.equal(response.status(), 200, await response.text())
}

/** Signs in as a person does. The page shows what it was opened for afterwards, or what is wrong. */
export async function signInByPage(browser: BrowserContext, url: string, apiKey: string): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(url)
  await page.getByLabel('API key').fill(apiKey)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  return page
}
