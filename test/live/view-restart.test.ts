import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { runningSandbox } from '../../packages/server/src/testing/sandbox-programs.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { openBrowser } from '../support/browser.ts'
import { temporaryFolder } from '../support/service-process.ts'
import { invite, openView, shownPixels, showsTheMachine } from './support/sandbox-view.ts'

test('the view reconnects after the service restarted, and keeps the picture meanwhile', async () => {
  const folder = await temporaryFolder()
  const dataDir = join(folder, 'local')
  const env = { SANDGLASS_DATA: join(folder, 'data') }
  const { service: before } = await startMachineService({ dataDir, env })
  const { port } = new URL(before.service.url)
  const sandbox = await runningSandbox(before)
  const page = await openView(await openBrowser(), await invite(before, sandbox), 'Ada')
  await page.getByRole('button', { name: 'Take control' }).click()
  await page.getByText('You are in control').waitFor()
  await showsTheMachine(page, before, sandbox)
  const shown = await shownPixels(page)

  await before.service.close()
  await page.getByText('Reconnecting').waitFor()
  assert.ok((await shownPixels(page)).equals(shown))

  const { service: after } = await startMachineService({ dataDir, env: { ...env, SANDGLASS_PORT: port } })
  await page.getByText('Reconnecting').waitFor({ state: 'hidden' })
  await page.getByText(/(is|are) in control|Waiting for a person/).waitFor()
  await showsTheMachine(page, after, sandbox)
})
