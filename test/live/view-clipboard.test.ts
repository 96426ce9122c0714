import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runningSandbox } from '../../packages/server/src/testing/sandbox-programs.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { waitFor } from '../../packages/server/src/testing/wait-for.ts'
import { openBrowser } from '../support/browser.ts'
import { sh } from './support/guest.ts'
import { invite, openView } from './support/sandbox-view.ts'

const { service } = await startMachineService()
const sandbox = await runningSandbox(service)
const browser = await openBrowser()
const origin = new URL(service.service.url).origin
await browser.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })

const run = (script: string) => sh(service, sandbox, script)

test('what is pasted here is typed there, and what is selected there can be pasted here', async () => {
  await run('xterm -geometry 80x10+100+100 -e "cat > /home/user/pasted" >/dev/null 2>&1 &')
  await waitFor(async () => (await run('xwininfo -root -tree')).includes('xterm'))
  const page = await openView(browser, await invite(service, sandbox))
  await page.getByRole('button', { name: 'Take control' }).click()
  await page.getByText('You have the control').waitFor()
  await page.evaluate(() => navigator.clipboard.writeText('über die Brücke 橋'))
  const box = await page.locator('canvas').first().boundingBox()
  assert.ok(box)
  // The middle button of an xterm pastes what was selected; Shift+Insert what is in the clipboard by this option.
  await page.mouse.click(box.x + 300, box.y + 160)
  await page.getByRole('button', { name: 'Send your clipboard to the machine' }).click()
  await page.getByText('Sent to the machine').waitFor()
  await page.mouse.click(box.x + 300, box.y + 160)
  await page.keyboard.press('Shift+Insert')
  await page.keyboard.press('Enter')
  await waitFor(async () => (await run('cat /home/user/pasted')) === 'über die Brücke 橋\n', 20_000)
  await page.close()
})
