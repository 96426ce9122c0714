import assert from 'node:assert/strict'
import { test } from 'node:test'
import { debianGuest } from '@sandglass/machines/guests'
import { patienceMs, waitFor } from '@sandglass/machines/testing'
import { type Browser, chromium } from 'playwright-core'
import { shareOf, startDesktop } from './desktop.ts'

const { service, id, box } = await startDesktop()
const origin = 'http://127.0.0.1:8000'
const green = [0, 0xaa, 0x44] as const

async function attach(url: string): Promise<Browser> {
  const browser = await chromium.connectOverCDP(url, { timeout: patienceMs })
  for (const context of browser.contexts()) context.setDefaultTimeout(patienceMs)
  return browser
}

/** The context with the profile of the browser, whose pages are on the screen. */
function contextOf(browser: Browser) {
  const [context] = browser.contexts()
  return context ?? assert.fail('there is no context')
}

test('a script outside fills in a form of a page inside, and the desktop shows what came of it', async () => {
  const { wsUrl, httpUrl } = await box.browser.cdp()
  const browser = await attach(wsUrl)
  const [page = assert.fail('there is no page')] = contextOf(browser).pages()
  await page.goto(origin)
  assert.ok((await shareOf(box, green)) < 0.01)
  await page.fill('input', 'Ada')
  await page.click('button')
  assert.equal(await page.title(), 'Ada')
  await waitFor(async () => (await shareOf(box, green)) > 0.25)
  const other = await attach(httpUrl)
  assert.deepEqual(
    await Promise.all(
      contextOf(other)
        .pages()
        .map(one => one.title()),
    ),
    ['Ada'],
  )
  await browser.close()
  await other.close()
})

test('the agent types into the page that the script sees', async () => {
  const browser = await attach((await box.browser.cdp()).wsUrl)
  const [page = assert.fail('there is no page')] = contextOf(browser).pages()
  await page.goto(origin)
  await page.bringToFront()
  await page.focus('input')
  await box.keyboard.type('Grace\n')
  await page.waitForFunction(`document.title === 'Grace'`)
  await browser.close()
})

test('two scripts at once drive pages of their own, and see those of the other', async () => {
  const urls = await Promise.all([box.browser.cdp(), box.browser.cdp()])
  const browsers = await Promise.all(urls.map(({ wsUrl }) => attach(wsUrl)))
  const pages = await Promise.all(browsers.map(browser => contextOf(browser).newPage()))
  await Promise.all(
    pages.map(async (page, at) => {
      await page.goto(`${origin}/${at}`)
      await page.fill('input', `script ${at}`)
      await page.click('button')
    }),
  )
  assert.deepEqual(await Promise.all(pages.map(page => page.title())), ['script 0', 'script 1'])
  const seen = browsers.map(
    browser => () =>
      contextOf(browser)
        .pages()
        .map(page => page.url()),
  )
  for (const urlsOf of seen)
    await waitFor(async () => urlsOf().includes(`${origin}/0`) && urlsOf().includes(`${origin}/1`))
  await Promise.all(pages.map(page => page.close()))
  await Promise.all(browsers.map(browser => browser.close()))
})

test('a page that the agent opens is in the browser of the script', async () => {
  const browser = await attach((await box.browser.cdp()).wsUrl)
  const { executable, args } = debianGuest.openUrl(`${origin}/opened`)
  await box.run([executable, ...args], { check: true })
  await waitFor(async () =>
    contextOf(browser)
      .pages()
      .some(page => page.url() === `${origin}/opened`),
  )
  await browser.close()
})

test('a script is disconnected when the key behind its URL is revoked', async () => {
  const { body } = await service.post('~/api-keys', { name: 'short', role: 'member' })
  const { body: urls } = await service.get(`~/sandboxes/${id}/browser/cdp`, { key: body.apiKey })
  const browser = await attach(urls.wsUrl)
  const disconnected = new Promise(resolve => browser.once('disconnected', resolve))
  await service.remove(`~/api-keys/${body.id}`)
  await disconnected
  await assert.rejects(attach(urls.wsUrl), /401/)
})

test('when a person closes the browser, the URL that there is starts it again', async () => {
  const { wsUrl } = await box.browser.cdp()
  const browser = await attach(wsUrl)
  const disconnected = new Promise(resolve => browser.once('disconnected', resolve))
  await box.run('wmctrl -c Chromium', { check: true })
  await disconnected
  const again = await attach(wsUrl)
  await contextOf(again).pages()[0]?.goto(origin)
  assert.equal(await contextOf(again).pages()[0]?.title(), 'form')
  await again.close()
})
