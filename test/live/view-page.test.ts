import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { runIn, runningSandbox } from '../../packages/server/src/testing/sandbox-programs.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { openBrowser } from '../support/browser.ts'
import { hasPicture, invite, openView, showsTheMachine } from './support/sandbox-view.ts'

const { service } = await startMachineService()
const sandbox = await runningSandbox(service)
const browser = await openBrowser()

async function sh(script: string): Promise<string> {
  return (await runIn(service, sandbox, { executable: 'sh', args: ['-c', script] })).stdout
}

await sh('xterm -geometry 80x20+100+100 -e "cat > /home/user/typed" >/dev/null 2>&1 &')
await waitFor(async () => (await sh('xwininfo -root -tree')).includes('xterm'))

test('a link shows the exact desktop, and disappears from the address bar', async () => {
  const page = await openView(browser, await invite(service, sandbox))
  await showsTheMachine(page, service, sandbox)
  assert.equal(new URL(page.url()).hash, '')
  await page.reload()
  await hasPicture(page)
  await showsTheMachine(page, service, sandbox)
  await page.close()
})

test('a person takes control, clicks, types in any script, and hands back', async () => {
  const page = await openView(browser, await invite(service, sandbox), 'Ada')
  await page.getByText('The agent is in control').waitFor()
  await page.getByRole('button', { name: 'Take control' }).click()
  await page.getByText('You are in control').waitFor()
  const box = await page.locator('canvas').first().boundingBox()
  assert.ok(box)
  await page.mouse.click(box.x + 300, box.y + 200)
  await page.keyboard.type('Hello, World! ')
  await page.keyboard.insertText('Grüße 你好 🐫')
  await page.keyboard.press('Enter')
  await waitFor(async () => (await sh('cat /home/user/typed')) === 'Hello, World! Grüße 你好 🐫\n')
  await showsTheMachine(page, service, sandbox)
  const click = { action: { type: 'mouse:move', x: { type: 'px', value: 5 }, y: { type: 'px', value: 5 } } }
  assert.equal((await service.post(`${sandbox}/actions/execute`, click)).body.code, 'sandbox.TAKEN_OVER')
  await page.getByRole('button', { name: 'Hand back' }).click()
  await page.getByText('The agent is in control').waitFor()
  assert.equal((await service.post(`${sandbox}/actions/execute`, click)).status, 200)
  await page.close()
})

test('a person who may only view sees that, and has no button', async () => {
  const page = await openView(browser, await invite(service, sandbox, ['view']))
  await page.getByText('View only').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Take control' }).count(), 0)
  await showsTheMachine(page, service, sandbox)
  await page.close()
})

test('a second person asks for control, is refused, asks again, and gets it', async () => {
  const link = await invite(service, sandbox, ['view', 'input'])
  const ada = await openView(browser, link, 'Ada')
  const grace = await openView(browser, await invite(service, sandbox, ['view', 'input']), 'Grace')
  await ada.getByRole('button', { name: 'Take control' }).click()
  await grace.getByText('Ada is in control').waitFor()
  await grace.getByRole('button', { name: 'Ask for control' }).click()
  await ada.getByText('Grace is asking for control.').waitFor()
  await ada.getByRole('button', { name: 'Keep control' }).click()
  await grace.getByRole('alert').getByRole('button', { name: 'Close' }).click()
  await grace.getByRole('button', { name: 'Ask for control' }).click()
  await ada.getByRole('button', { name: 'Give control' }).click()
  await ada.getByText('Grace is in control').waitFor()
  await grace.getByRole('button', { name: 'Hand back' }).click()
  await ada.getByText('The agent is in control').waitFor()
  await Promise.all([ada.close(), grace.close()])
})

test('an invalid link is reported, and another one can be entered', async () => {
  const page = await browser.newPage()
  await page.goto(`${service.service.url}/view#nonsense`)
  await page.getByText('The invitation has expired or was revoked').waitFor()
  await page.getByRole('button', { name: 'Use another link' }).click()
  await page.getByLabel('Your invitation link').fill('https://elsewhere/view')
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByText('This is not an invitation link').waitFor()
  await page.getByLabel('Your invitation link').fill(await invite(service, sandbox))
  await page.keyboard.press('Enter')
  await hasPicture(page)
  await page.close()
})

test('an invitation that is revoked ends the view with the reason', async () => {
  const { body } = await service.post(`${sandbox}/live/invitations`, { scope: ['view'] })
  const page = await openView(browser, body.url)
  await service.remove(`${sandbox}/live/invitations/${body.id}`)
  await page.getByText('Your access was revoked').waitFor()
  await page.close()
})
