import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import type { LiveScope } from '@sandglass/protocol'
import type { BrowserContext, Page } from 'playwright-core'
import sharp from 'sharp'
import type { TestService } from '../../../packages/server/src/testing/test-service.ts'

export const everything: readonly LiveScope[] = [
  'view',
  'input',
  'clipboard:read',
  'clipboard:write',
  'force',
]

/** Creates an invitation to a sandbox and returns its link. */
export async function invite(
  service: TestService,
  sandbox: string,
  scope: readonly LiveScope[] = everything,
): Promise<string> {
  const { status, body, text } = await service.post(`${sandbox}/live/invitations`, { scope })
  assert.equal(status, 200, text)
  return body.url
}

/** Opens the page from a link, as a person does, and waits for the picture. */
export async function openView(browser: BrowserContext, url: string, name = ''): Promise<Page> {
  const page = await browser.newPage()
  await page.setViewportSize({ width: 1280, height: 768 + 1 })
  await page.goto(name === '' ? url : url.replace('#', `?name=${name}#`))
  await hasPicture(page)
  return page
}

export async function hasPicture(page: Page): Promise<void> {
  await page.waitForFunction(() => (document.querySelector('canvas')?.width ?? 0) > 0)
}

/** The pixels that the page shows, three bytes each. */
export async function shownPixels(page: Page): Promise<Buffer> {
  const base64 = await page.evaluate(() => {
    const canvas = document.querySelector('canvas')
    return canvas?.toDataURL('image/png').split(',')[1] ?? ''
  })
  return sharp(Buffer.from(base64, 'base64')).removeAlpha().raw().toBuffer()
}

/** The pixels of the API's screenshot, three bytes each. */
export async function screenshotPixels(service: TestService, sandbox: string): Promise<Buffer> {
  const { body } = await service.post(`${sandbox}/actions/execute`, {
    action: { type: 'screenshot' },
    screenShotFormat: 'png',
    settle: 'none',
    includePointer: false,
  })
  const answer = await fetch(body.screenShot)
  return sharp(Buffer.from(await answer.arrayBuffer()))
    .removeAlpha()
    .raw()
    .toBuffer()
}

/** Waits until the page shows exactly the pixels of the machine. */
export async function showsTheMachine(page: Page, service: TestService, sandbox: string): Promise<void> {
  await waitFor(async () => {
    const [shown, real] = await Promise.all([shownPixels(page), screenshotPixels(service, sandbox)])
    return shown.length > 0 && shown.equals(real)
  })
}
