import assert from 'node:assert/strict'
import type { Sandbox as Desktop } from '@e2b/desktop'
import { decode } from 'fast-png'
import type { BrowserContext, Page } from 'playwright-core'

/** The URL of a stream as a person opens it here: the service has no TLS, and every port needs the token. */
export const openedUrl = (desktop: Desktop, url: string) =>
  `${url.replace(/^https:/, 'http:')}&e2b-traffic-access-token=${desktop.trafficAccessToken}`

/** A stream that a person looks at in a browser. */
export class StreamPage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  /** The size of what is shown, as the page has it. */
  async size(): Promise<(string | null)[]> {
    return [await this.#canvas.getAttribute('width'), await this.#canvas.getAttribute('height')]
  }

  /** The share of the picture that has this colour. */
  async shareOf(colour: readonly number[]): Promise<number> {
    const { data, channels } = decode(await this.#canvas.screenshot())
    let count = 0
    for (let at = 0; at < data.length; at += channels)
      if (colour.every((value, part) => data[at + part] === value)) count++
    return (count * channels) / data.length
  }

  /** Clicks at a place of the picture. */
  async click(x: number, y: number): Promise<void> {
    const box = (await this.#canvas.boundingBox()) ?? assert.fail('no picture')
    await this.page.mouse.click(box.x + x, box.y + y)
  }

  close(): Promise<void> {
    return this.page.close()
  }

  get #canvas() {
    return this.page.locator('#noVNC_container canvas')
  }
}

export async function openStream(
  browser: BrowserContext,
  desktop: Desktop,
  url: string,
): Promise<StreamPage> {
  const page = await browser.newPage()
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto(openedUrl(desktop, url))
  return new StreamPage(page)
}
