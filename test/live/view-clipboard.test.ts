import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { Page } from 'playwright-core'
import { runningSandbox } from '../../packages/server/src/testing/sandbox-programs.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { openBrowser } from '../support/browser.ts'
import { sh } from './support/guest.ts'
import { invite, openView } from './support/sandbox-view.ts'

const { service } = await startMachineService()
const sandbox = await runningSandbox(service)
const browser = await openBrowser()
const origin = new URL(service.service.url).origin
await browser.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })

/** All but the last are of the same person, who gets control back on each page. */
const link = await invite(service, sandbox)

const run = (script: string) => sh(service, sandbox, script)

async function openInControl(t: TestContext): Promise<Page> {
  const page = await openView(browser, link)
  t.after(() => page.close())
  await page.getByRole('button', { name: /(Take|Ask for) control|Hand back/ }).waitFor()
  const take = page.getByRole('button', { name: /(Take|Ask for) control/ })
  if (await take.isVisible()) await take.click()
  await page.getByText('You are in control').waitFor()
  return page
}

/** Waits until the local clipboard holds something. */
async function holds(page: Page, text: string): Promise<void> {
  await waitFor(async () => (await page.evaluate(() => navigator.clipboard.readText())) === text)
}

test('the local clipboard is sent to the machine and pasted there', async t => {
  await run('xterm -geometry 80x10+100+100 -e "cat > /home/user/pasted" >/dev/null 2>&1 &')
  await waitFor(async () => (await run('xwininfo -root -tree')).includes('xterm'))
  const page = await openInControl(t)
  await page.evaluate(() => navigator.clipboard.writeText('über die Brücke 橋'))
  await page.getByRole('button', { name: 'Send your clipboard to the machine' }).click()
  await page.getByText('Sent to the machine').waitFor()
  const box = await page.locator('canvas').first().boundingBox()
  assert.ok(box)
  await page.mouse.click(box.x + 300, box.y + 160)
  await page.keyboard.press('Shift+Insert')
  // A terminal requests what it pastes, and accepts keys meanwhile.
  await waitFor(async () => {
    await page.keyboard.press('Enter')
    return (await run('cat /home/user/pasted')).trim() === 'über die Brücke 橋'
  })
})

test('a text copied in the machine reaches the local clipboard', async t => {
  await run('touch /home/user/note; l3afpad /home/user/note >/dev/null 2>&1 &')
  await waitFor(async () => (await run('xdotool getactivewindow getwindowname || true')).includes('note'))
  const page = await openInControl(t)
  await page.keyboard.type('copied there')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+c')
  await holds(page, 'copied there')
  await page.getByRole('button', { name: "Copy the machine's clipboard" }).click()
  await page.getByText('Copied', { exact: true }).waitFor()
})

test('Ctrl+V sends the local text before the key', async t => {
  const page = await openInControl(t)
  await page.evaluate(() => navigator.clipboard.writeText('by Ctrl+V'))
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await page.keyboard.press('Control+v')
  await waitFor(async () => {
    await page.keyboard.press('Control+s')
    return (await run('cat /home/user/note')).trim() === 'by Ctrl+V'
  })
})

test('without the right to it the clipboard is not offered', async () => {
  const page = await openView(browser, await invite(service, sandbox, ['view', 'input', 'force']))
  await page.getByRole('button', { name: 'Take over now' }).click()
  await page.getByText('You are in control').waitFor()
  assert.equal(await page.getByRole('button', { name: /clipboard/ }).count(), 0)
  await page.close()
})
