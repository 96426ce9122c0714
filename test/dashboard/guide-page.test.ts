import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { BrowserContext, Page } from 'playwright-core'
import { startTestService } from '../../packages/server/src/testing/test-service.ts'
import { openBrowser } from '../support/browser.ts'
import { paperEngines } from '../support/paper-engine.ts'
import { assertAccessible } from './support/accessible.ts'
import { signIn } from './support/sign-in.ts'

const service = await startTestService({}, async () => paperEngines())
const { url } = service.service
const reader = await openBrowser()
const failures: string[] = []

/** Opens a page of the guide, and fails at the end if it needed something from elsewhere or its policy refused something. */
async function open(path: string, browser: BrowserContext = reader): Promise<Page> {
  const page = await browser.newPage()
  page.on('console', message => message.type() === 'error' && failures.push(message.text()))
  page.on('pageerror', error => failures.push(String(error)))
  page.on('request', request => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) failures.push(request.url())
  })
  await page.goto(`${url}/docs/guide${path}`)
  return page
}

const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

/** What the service answers, and to which places of the service it leads. */
async function read(path: string) {
  const response = await fetch(`${url}${path}`)
  const text = await response.text()
  const links = [...text.matchAll(/ (?:href|src)="(\/[^"]*)"/g)].map(([, link = '']) => link)
  const anchors = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
  return { status: response.status, text, links, anchors }
}

test('every link of every page leads to a page of the service, and to a heading if it names one', async () => {
  const seen = new Map<string, Awaited<ReturnType<typeof read>>>()
  const wrong: string[] = []
  const visit = async (path: string) => {
    const known = seen.get(path)
    if (known) return known
    const page = await read(path)
    seen.set(path, page)
    if (page.status !== 200) wrong.push(`${page.status} ${path}`)
    if (!/^\/docs\/guide(\/(?!assets)|$)/.test(path)) return page
    for (const link of page.links) {
      const [target = '', anchor] = link.split('#')
      const { anchors } = await visit(target)
      if (anchor && target.startsWith('/docs/guide') && !anchors.has(anchor)) wrong.push(`${path}: ${link}`)
    }
    return page
  }
  await visit('/docs/guide')
  assert.deepEqual(wrong, [])
  for (const path of ['tutorial', 'operating', 'decisions/readme', 'readme', 'examples/anthropic.ts'])
    assert.ok(seen.has(`/docs/guide/${path}`), path)
  assert.ok(seen.size > 120, `${seen.size}`)
})

test('a page that does not exist is said to be absent, also outside of the folder', async () => {
  for (const path of [
    'absent',
    '..%2f..%2fpackage',
    '%2e%2e/%2e%2e/package.json',
    'assets/absent.png',
    'decisions',
  ])
    assert.equal((await fetch(`${url}/docs/guide/${path}`)).status, 404, path)
})

test('a stranger finds a page by the navigation, the search and a link, with the keyboard alone', async () => {
  const page = await open('')
  await title(page, 'Documentation').waitFor()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Webhooks' }).click()
  await title(page, 'Webhooks').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('quarantine phone')
  const found = page.getByRole('list', { name: 'Found' }).getByRole('link')
  await found.first().waitFor()
  await page.keyboard.press('ArrowDown')
  await waitFor(() => found.first().evaluate(link => link === document.activeElement))
  await page.keyboard.press('Enter')
  await page.waitForURL(/docs\/guide\/phones/)
  await page.keyboard.press('/')
  await page.keyboard.type('zzzz-nothing')
  await page.getByText('Nothing found').waitFor()
  await page.close()
})

test('code is copied as it is', async () => {
  await reader.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await open('/readme')
  const block = page.locator('figure.code').first()
  await block.hover()
  await block.getByRole('button', { name: 'Copy' }).click()
  await block.getByRole('button', { name: 'Copied' }).waitFor()
  assert.match(
    await page.evaluate(() => navigator.clipboard.readText()),
    /^npm run --silent sandglass -- up --detach\n/,
  )
  await page.close()
})

test('the guide is complete without scripts', async () => {
  const plain = await openBrowser({ javaScriptEnabled: false })
  const page = await plain.newPage()
  await page.goto(`${url}/docs/guide`)
  await page.getByRole('link', { name: 'Volumes' }).first().click()
  await title(page, 'Volumes').waitFor()
  assert.equal(await page.getByRole('searchbox').count(), 0)
  await page.close()
})

test('every page can be used by everybody, in both colours, also on a phone', async () => {
  const narrow = await openBrowser({ viewport: { width: 390, height: 800 } })
  for (const browser of [reader, narrow]) {
    const page = await open('', browser)
    for (const path of [
      '',
      '/tutorial',
      '/client',
      '/operating',
      '/readme',
      '/decisions/0041-machine-workers',
    ]) {
      await page.goto(`${url}/docs/guide${path}`)
      await assertAccessible(page)
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
      assert.ok(!isWide, `${path} is wider than the screen`)
    }
    await page.getByRole('button', { name: 'Use dark colours' }).click()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Use light colours' }).click()
    await page.close()
  }
  const page = await open('/tutorial', narrow)
  await page.getByRole('link', { name: 'Pages', exact: true }).click()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Volumes' }).click()
  await title(page, 'Volumes').waitFor()
  await page.close()
})

test('the dashboard and the page of the API lead to the guide', async () => {
  const browser = await openBrowser()
  await signIn(browser, url, await service.keyOf('viewer'))
  for (const path of ['/', '/docs']) {
    const page = await browser.newPage()
    await page.goto(`${url}${path}`)
    await page.getByRole('link', { name: 'Guide', exact: true }).click()
    await title(page, 'Documentation').waitFor()
    await page.close()
  }
})

test('the guide needed nothing from elsewhere, and its policy had nothing to refuse', () => {
  assert.deepEqual(failures, [])
})
