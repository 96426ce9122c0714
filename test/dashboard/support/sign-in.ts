import assert from 'node:assert/strict'
import type { BrowserContext } from 'playwright-core'

/** Gives a browser a session, as the page for signing in does. */
export async function signIn(browser: BrowserContext, url: string, apiKey: string): Promise<void> {
  const response = await browser.request.post(`${url}/api/sessions`, { data: { apiKey } })
  assert.equal(response.status(), 200, await response.text())
}
