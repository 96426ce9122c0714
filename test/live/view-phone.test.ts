import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { UiElement } from '@sandglass/protocol'
import { TestPhone } from '../../packages/server/src/testing/test-phone.ts'
import { openBrowser } from '../support/browser.ts'
import { invite, openView } from './support/sandbox-view.ts'

const phone = await TestPhone.start()
const { service } = phone
const sandbox = `~/sandboxes/${phone.id}`
const browser = await openBrowser()
const origin = new URL(service.service.url).origin
await browser.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
const page = await openView(browser, await invite(service, sandbox), 'Ada')
after(() => page.close())

async function takeControl(): Promise<void> {
  await page.getByRole('button', { name: 'Take control' }).click()
  await page.getByText('You are in control').waitFor()
}

async function handBack(): Promise<void> {
  await page.getByRole('button', { name: 'Hand back' }).click()
  await page.getByText('The agent is in control').waitFor()
}

/** The text of the element with this id. */
async function textOf(id: string): Promise<string | undefined> {
  const { body } = await service.post(`${sandbox}/actions/execute`, {
    action: { type: 'screenshot' },
    includeScreenShot: false,
    includeUiTree: true,
  })
  return body.uiTree.find((element: UiElement) => element.id?.endsWith(`:id/${id}`))?.text
}

/** Whether the phone shows its keyboard, which it does as soon as something can be typed into. */
async function hasKeyboard(): Promise<boolean> {
  return (await phone.shell('dumpsys input_method')).includes('mInputShown=true')
}

/** The title of the note; undefined while the app has not stored one, or is just storing it. */
async function title(): Promise<string | undefined> {
  return (await phone.note().catch(() => undefined))?.title
}

test('a person types capitals, symbols and any other character into a phone', async () => {
  await phone.openNote()
  await takeControl()
  await page.keyboard.type('Aa1!@€ "Zürich" ~{x}')
  await waitFor(async () => (await title()) === 'Aa1!@€ "Zürich" ~{x}')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Home')
  await page.keyboard.type('#')
  await page.keyboard.press('End')
  await page.keyboard.type(')')
  await waitFor(async () => (await title()) === '#Aa1!@€ "Zürich" ~{x)')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('B')
  await waitFor(async () => (await title()) === 'B')
  await handBack()
})

test('what a person copied here is pasted into a phone, by key and by button', async () => {
  await phone.openNote()
  await takeControl()
  await page.evaluate(() => navigator.clipboard.writeText('Pa$$wörd 橋'))
  await page.keyboard.press('Control+v')
  await waitFor(async () => (await title()) === 'Pa$$wörd 橋')
  await page.evaluate(() => navigator.clipboard.writeText('+1'))
  await page.getByRole('button', { name: 'Send your clipboard to the machine' }).click()
  await waitFor(async () => (await title()) === 'Pa$$wörd 橋+1')
  await handBack()
})

test('a person signs in on a page in the browser of a phone', async () => {
  const form =
    '<style>input { display: block; width: 90vw; height: 40vh }</style><form><input name=user><input name=password type=password><button>Sign in</button></form>'
  await phone.shell(`printf '%s' '${form}' > /sdcard/Download/login.html`)
  await phone.shell('am start -d file:///sdcard/Download/login.html')
  await phone.untilInFront('com.sandglass.browser')
  await waitFor(async () => (await textOf('address')) === 'file:///sdcard/Download/login.html')
  await waitFor(async () => !(await hasKeyboard()))
  await takeControl()
  const box = await page.locator('canvas').first().boundingBox()
  assert.ok(box)
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 3)
  // The page is a process of its own, which has the click a moment later than the phone.
  await waitFor(hasKeyboard)
  await page.keyboard.type('Ada.L@example.org')
  await page.keyboard.press('Tab')
  await page.evaluate(() => navigator.clipboard.writeText('S3cret!'))
  await page.keyboard.press('Control+v')
  await page.keyboard.type('?Yes')
  await page.keyboard.press('Enter')
  await waitFor(async () => /\?user=/.test((await textOf('address')) ?? ''))
  const sent = new URL((await textOf('address')) ?? '').searchParams
  assert.deepEqual([sent.get('user'), sent.get('password')], ['Ada.L@example.org', 'S3cret!?Yes'])
  await handBack()
})
