import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { browser } from './support/opened.ts'
import { openViewInRoom, sandboxMessage, serveView } from './support/served-view.ts'

const url = await serveView()

test('the bar names the sandbox, who else is watching, and what the agent is doing', async () => {
  const { page, view, viewer } = await openViewInRoom(browser, url, { isHolder: false })
  viewer.say(sandboxMessage(3600))
  viewer.say({ kind: 'action', text: 'Typing 12 characters', at: '2020-01-01T12:00:00.000Z' })
  viewer.say({
    kind: 'viewers',
    count: 4,
    viewers: [
      { viewer: 'v1', name: 'Ada' },
      { viewer: 'v2', name: 'Grace' },
      { viewer: 'v3', name: '' },
    ],
  })
  await view.getByText('invoices').waitFor()
  await view.getByTestId('action').getByText('Typing 12 characters').waitFor()
  await view.getByRole('button', { name: '3 other people are watching' }).click()
  assert.deepEqual(await view.getByRole('listitem').allTextContents(), [
    'Grace',
    'Someone without a name',
    'and 1 more',
  ])
  assert.equal(await view.getByTestId('countdown').count(), 0)
  await page.close()
})

test('the last five minutes are counted down, until the sandbox is extended', async () => {
  const { page, view, viewer } = await openViewInRoom(browser, url)
  viewer.say(sandboxMessage(200))
  const shown = async () => (await view.getByTestId('countdown').textContent()) ?? ''
  await waitFor(async () => /^Ends in 3:1\d$/.test(await shown()))
  const first = await shown()
  await waitFor(async () => (await shown()) < first)
  viewer.say(sandboxMessage(40))
  await waitFor(async () => /^Ends in 0:[34]\d$/.test(await shown()))
  assert.equal(await view.getByText('This sandbox ends in less than a minute.').count(), 1)
  viewer.say(sandboxMessage(3600))
  await waitFor(async () => (await view.getByTestId('countdown').count()) === 0)
  await page.close()
})

test('what the agent asks for stands above the screen until control is handed back', async () => {
  const { page, view, viewer } = await openViewInRoom(browser, url, { isHolder: false })
  const message = 'Please sign in with your work account.'
  viewer.say({ kind: 'lease', number: 8, holder: { kind: 'nobody' }, message })
  await view.getByRole('alert').getByText(message).waitFor()
  await view.getByRole('button', { name: 'Take control' }).click()
  await waitFor(async () => viewer.said.some(({ kind }) => kind === 'take'))
  viewer.say({ kind: 'lease', number: 9, holder: { kind: 'person', viewer: 'v1', name: 'Ada' }, message })
  await view.getByText('Hand back when you are done.').waitFor()
  viewer.say({ kind: 'lease', number: 10, holder: { kind: 'agent' } })
  await waitFor(async () => (await view.getByText(message).count()) === 0)
  await page.close()
})

test('a person learns how to release the keyboard, and keeps the focus when handing back', async () => {
  const { page, view, viewer } = await openViewInRoom(browser, url)
  await view.getByText('Ctrl+Alt+Shift releases the keyboard').waitFor()
  await waitFor(async () => (await focused()) === 'TEXTAREA')
  for (const key of ['Control', 'Alt', 'Shift']) await page.keyboard.down(key)
  await waitFor(async () => (await focused()) === 'Hand back')
  for (const key of ['Control', 'Alt', 'Shift']) await page.keyboard.up(key)
  await page.keyboard.press('Enter')
  await waitFor(async () => viewer.said.some(({ kind }) => kind === 'handBack'))
  viewer.lease(8, { kind: 'agent' })
  await waitFor(async () => (await focused()) === 'Take control')
  await page.keyboard.press('Enter')
  await waitFor(async () => viewer.said.at(-1)?.kind === 'take')
  assert.equal(await view.getByRole('alert').count(), 0, 'who hands back is not told about it')
  viewer.lease(9, { kind: 'person', viewer: 'v1', name: 'Ada' })
  await waitFor(async () => (await focused()) === 'TEXTAREA')
  await page.close()

  async function focused(): Promise<string> {
    return view.evaluate(() => {
      const { activeElement } = document
      return activeElement?.tagName === 'BUTTON'
        ? (activeElement.textContent ?? '')
        : (activeElement?.tagName ?? '')
    })
  }
})

test('who asks for control sees that an answer is awaited, and who loses control sees to whom', async () => {
  const { page, view, viewer } = await openViewInRoom(browser, url, { isHolder: false })
  viewer.lease(8, { kind: 'person', viewer: 'v2', name: 'Grace' })
  await view.getByRole('button', { name: 'Ask for control' }).click()
  await view.getByText('Waiting for an answer').waitFor()
  viewer.say({ kind: 'refused', reason: 'The person in control wants to keep it.' })
  await view.getByText('The person in control wants to keep it.').waitFor()
  assert.equal(await view.getByText('Waiting for an answer').count(), 0)
  viewer.lease(9, { kind: 'person', viewer: 'v1', name: 'Ada' })
  await view.getByText('You are in control').waitFor()
  viewer.lease(10, { kind: 'person', viewer: 'v2', name: 'Grace' })
  await view.getByRole('alert').getByText('Grace took control.').waitFor()
  await view.getByRole('button', { name: 'Close' }).click()
  await waitFor(async () => (await view.getByText('Grace took control.').count()) === 0)
  await page.close()
})

test('people read why there is no screen in words of their own', async () => {
  const { page, view, viewer } = await openViewInRoom(browser, url)
  const status = async (status: 'paused' | 'offline' | 'failed' | 'starting', title: string) => {
    viewer.say(sandboxMessage(3600, { status }))
    await view.getByRole('heading', { name: title }).waitFor()
  }
  viewer.say({ kind: 'machine', isThere: false })
  await view.getByRole('heading', { name: 'The machine is restarting' }).waitFor()
  await status('paused', 'This sandbox is paused')
  await status('offline', 'This sandbox is offline')
  await status('failed', 'This sandbox has failed')
  await status('starting', 'This sandbox is starting')
  viewer.say({ kind: 'machine', isThere: true })
  await waitFor(async () => (await view.getByRole('heading').count()) === 0)
  viewer.say({
    kind: 'goodbye',
    code: 'node.GONE',
    message: 'Ask getSandbox for another.',
    isFinal: false,
  })
  await view.getByRole('heading', { name: 'This sandbox is offline' }).waitFor()
  assert.equal(await view.getByText('getSandbox').count(), 0)
  await page.close()
})

test('motion stops for people who prefer less of it', async () => {
  const { page, view, viewer } = await openViewInRoom(browser, url)
  const animation = () =>
    view.locator('.bar .mark').evaluate(element => getComputedStyle(element).animationName)
  viewer.say({ kind: 'goodbye', code: 'live.CLOSING', message: '', isFinal: false })
  await waitFor(async () => (await animation()) === 'live-turn')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await waitFor(async () => (await animation()) === 'none')
  await page.close()
})
