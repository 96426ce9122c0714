import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { Page } from 'playwright-core'
import { startTestService } from '../../packages/server/src/testing/test-service.ts'
import { openBrowser } from '../support/browser.ts'
import { paperEngines } from '../support/paper-engine.ts'
import { assertAccessible } from './support/accessible.ts'
import { signIn } from './support/sign-in.ts'

const service = await startTestService({}, async () => paperEngines())
const { url, credentials } = service.service
const stranger = await openBrowser()

/** Opens the page, and fails if its policy has to refuse something or a script fails. */
async function open(fragment: string, browser = stranger): Promise<Page> {
  const page = await browser.newPage()
  page.on('console', message => {
    if (message.type() === 'error' && !message.text().includes('status of 4')) failures.push(message.text())
  })
  page.on('pageerror', error => failures.push(String(error)))
  page.on('request', request => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) failures.push(request.url())
  })
  await page.goto(`${url}/docs${fragment}`)
  return page
}
const failures: string[] = []

const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const listed = (page: Page) => page.getByRole('navigation', { name: 'Operations' }).getByRole('link')

async function useKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('Key', { exact: true }).fill(key)
  await page.getByRole('button', { name: 'Use the key' }).click()
  await page.getByText('Requests are sent with the key').waitFor()
}

test('a link leads to an operation, with its path, access, descriptions and errors', async () => {
  const page = await open('#/operations/createSandbox')
  await title(page, 'createSandbox').waitFor()
  const article = page.getByRole('article')
  for (const text of [
    '/api/orgs/{orgId}/sandboxes',
    'Create a sandbox of the given shape.',
    'Role member or higher, and trial tokens',
    'The id of your organization.',
    'The name of a shape; listShapes lists them.',
    'sandbox.TOO_MANY',
  ])
    await article.getByText(text, { exact: true }).first().waitFor()
  assert.equal(await page.title(), 'createSandbox · Sandglass')
  await page.goto(`${url}/docs#/operations/MachineImageController_createMachineImage`)
  await title(page, 'createMachineImage').waitFor()
  await page.goto(`${url}/docs#/operations/absent`)
  await page.getByText('There is no operation absent.').waitFor()
  await page.close()
})

test('operations are found by name, path, summary and error code, with the keyboard alone', async () => {
  const page = await open('')
  await title(page, 'Sandglass API').waitFor()
  const all = await listed(page).count()
  assert.ok(all > 120)
  for (const [text, expected] of [
    ['forksand', 'forkSandbox'],
    ['POST /shell/{shellId}/read', 'readSandboxShell'],
    ['disk occupies tar archive', undefined],
    ['tar archive', 'exportMachineImage'],
    ['volume.ELSEWHERE', 'createSandbox'],
  ] as const) {
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('/')
    await waitFor(() => page.getByRole('searchbox').evaluate(box => box === document.activeElement))
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(text)
    // The list follows what is typed a moment later.
    await waitFor(async () => {
      const names = await listed(page).allTextContents()
      if (expected === undefined) return names.length === 0
      return names.length < all && names.some(each => each.includes(expected))
    })
  }
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('listProj')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await title(page, 'listProjects').waitFor()
  await page.close()
})

test('an operation is run with a key, which no storage of the browser has and no example shows', async () => {
  const page = await open('#/operations/createProject')
  await title(page, 'createProject').waitFor()
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('Enter what this stands for.').waitFor()
  await useKey(page, credentials.apiKey)
  await waitFor(async () => (await page.getByLabel('orgId').inputValue()) === service.orgId)
  await page.getByRole('textbox', { name: 'Body' }).fill('{"name": broken')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('This is not JSON').waitFor()
  await page.getByRole('textbox', { name: 'Body' }).fill('{"name": "From the docs"}')
  await page.getByRole('button', { name: 'Run' }).click()
  const response = page.getByRole('region', { name: 'Response' }).last()
  await response.getByText('"name": "From the docs"').waitFor()
  const { body } = await service.get('~/projects')
  assert.ok(body.some(({ name }: { name: string }) => name === 'From the docs'))

  await page.getByText(`${url}/api/orgs/${service.orgId}/projects`).first().waitFor()
  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  )
  assert.ok(!kept.includes(credentials.apiKey))
  assert.ok(!(await page.content()).includes(credentials.apiKey))
  await page.goto(`${url}/docs#/operations/deleteProject`)
  await title(page, 'deleteProject').waitFor()
  await page.getByText('Requests are sent with the key').waitFor()
  await page.reload()
  await page.getByText('You are not signed in.').waitFor()
  await page.close()
})

test('whoever is signed in runs operations in the session, and reads what is wrong', async () => {
  const browser = await openBrowser()
  await signIn(browser, url, await service.keyOf('viewer'))
  const page = await open('#/operations/listProjects', browser)
  await page.getByText('who is signed in').waitFor()
  await page.getByRole('button', { name: 'Run' }).click()
  const response = page.getByRole('region', { name: 'Response' }).last()
  await response.getByText('"defaultProject": true').waitFor()
  await page.goto(`${url}/docs#/operations/createProject`)
  await title(page, 'createProject').waitFor()
  await page.getByRole('button', { name: 'Run' }).click()
  await response.getByText('"code": "auth.FORBIDDEN"').waitFor()
  await page.close()
})

test('events are followed until they are stopped', async () => {
  const page = await open('#/operations/listEvents')
  await title(page, 'listEvents').waitFor()
  await useKey(page, credentials.apiKey)
  await page.getByLabel('Follow what happens').check()
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  const { body } = await service.post('~/api-keys', { name: 'seen in the docs' })
  await page.getByText(body.id).first().waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
  await page.close()
})

test('every page can be used by everybody, in both colours, also on a phone', async () => {
  const narrow = await openBrowser({ viewport: { width: 390, height: 800 } })
  for (const [browser, fragments] of [
    [
      stranger,
      ['#/errors/sandbox.NOT_FOUND', '#/events/sandbox.created', '#/operations/executeSandboxAction'],
    ],
    [narrow, ['#/', '#/operations/createSandbox']],
  ] as const) {
    const page = await open('', browser)
    for (const fragment of fragments) {
      await page.goto(`${url}/docs${fragment}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await assertAccessible(page)
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
      assert.ok(!isWide, `${fragment} is wider than the screen`)
    }
    await page.getByRole('button', { name: 'Use dark colours' }).click()
    await assertAccessible(page)
    await page.close()
  }
  const page = await open('#/operations/listShapes', narrow)
  await title(page, 'listShapes').waitFor()
  await page.getByRole('button', { name: 'Operations' }).click()
  await page.getByLabel('Search operations').fill('deleteSandbox')
  await listed(page).first().click()
  await title(page, 'deleteSandbox').waitFor()
  await page.close()
})

test('the page needed nothing from elsewhere, and its policy had nothing to refuse', () => {
  assert.deepEqual(failures, [])
})
