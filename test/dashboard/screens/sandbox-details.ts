import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { assertUsable, boxOf, openTab } from '../support/sandbox-page.ts'
import type { World } from '../support/world.ts'

/** The tabs that show what a sandbox is and was. */
export function sandboxDetails(world: World): void {
  const box = boxOf(world)

  test('the timeline shows an action with its actor, arguments and screenshot as it is done', async t => {
    const page = await openTab(t, world, 'timeline')
    // A person of an earlier test may have left without handing back.
    await world.owner.setSandboxControl({ sandboxId: world.sandboxId, body: { holder: 'agent' } })
    await box.act([{ type: 'keyboard:type', content: 'seen in the timeline' }])
    const entry = page.getByRole('listitem').filter({ hasText: 'seen in the timeline' }).first()
    await entry.getByText('Type', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'The screen after Type' }).first().click()
    const shot = page.getByRole('dialog').getByRole('img')
    await waitFor(async () =>
      shot.evaluate(image => image instanceof HTMLImageElement && image.naturalWidth > 0),
    )
    await assertUsable(page)
  })

  test('figures show what the machine uses', async t => {
    const page = await openTab(t, world, 'figures')
    const memory = page.getByRole('region', { name: 'Memory' })
    await memory.getByText('MiB').first().waitFor()
    await page
      .getByRole('region', { name: 'CPU' })
      .getByText(/^\d+ %$/)
      .waitFor()
    await page.locator('.uplot canvas').first().waitFor()
    await assertUsable(page)
  })

  test('a snapshot is taken, returned to and deleted', async t => {
    await box.files.write('state', 'old')
    const page = await openTab(t, world, 'snapshots')
    await page.getByLabel('Name of the snapshot').fill('')
    await page.getByRole('button', { name: 'Take a snapshot' }).click()
    await page.getByRole('alert').first().waitFor()
    await page.getByLabel('Name of the snapshot').fill('before')
    await page.getByRole('button', { name: 'Take a snapshot' }).click()
    await page.getByText('Ready', { exact: true }).waitFor()
    await assertUsable(page)
    await box.files.write('state', 'new')
    await page.getByRole('button', { name: 'Restore before' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
    await page.getByText('The disk is as it was.').first().waitFor()
    await box.untilRunning()
    assert.equal(await box.files.readText('state'), 'old')
    await page.getByRole('button', { name: 'Delete before' }).click()
    await page.getByText('There are no snapshots.').waitFor()
  })

  test('the log, the applications and the connection details can be read', async t => {
    const page = await openTab(t, world, 'log')
    await page.getByRole('list', { name: 'Log' }).getByText('The sandbox has started').first().waitFor()
    await assertUsable(page)
    await page.getByRole('tab', { name: 'Applications' }).click()
    const [application] = await world.owner.listApplications()
    await page.getByRole('heading', { name: application?.name ?? '' }).waitFor()
    await assertUsable(page)
    await page.getByRole('tab', { name: 'Connection' }).click()
    await page.getByText(world.sandboxId, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Create connection details for an hour' }).click()
    await page.getByRole('dialog').getByText('endUserToken').waitFor()
    await assertUsable(page)
  })

  test('a person who may only look has no terminal, files and buttons, on a narrow screen too', async t => {
    const { apiKey } = await world.owner.createApiKey({ body: { name: 'Looker', role: 'viewer' } })
    const browser = await world.browserOf(apiKey ?? '', { viewport: { width: 360, height: 740 } })
    const page = await openTab(t, world, 'screen', browser)
    await page.getByText('View only').waitFor()
    const tabs = await page.getByRole('tab').allTextContents()
    assert.deepEqual(
      tabs.filter(tab => ['Terminal', 'Files', 'Ports'].includes(tab)),
      [],
    )
    assert.equal(await page.getByRole('button', { name: 'Pause' }).count(), 0)
    const isTooWide = () => document.documentElement.scrollWidth > document.documentElement.clientWidth
    for (const tab of tabs) {
      await page.getByRole('tab', { name: tab }).click()
      assert.equal(await page.evaluate(isTooWide), false, tab)
    }
    await assertUsable(page)
  })
}
