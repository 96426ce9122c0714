import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../../support/browser.ts'
import { assertUsable, openTab } from '../support/sandbox-page.ts'
import type { World } from '../support/world.ts'

/** Invitations to the live view. */
export function sandboxSharing(world: World): void {
  test('an invitation works in a browser without an account, and stops when it is revoked', async () => {
    const page = await openTab(world, 'log')
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByLabel('Take control: mouse and keyboard').check()
    await page.getByLabel('Valid for').selectOption('1 hour')
    await page.getByRole('button', { name: 'Create an invitation' }).click()
    const link = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
    assert.ok(link.startsWith(`${world.url}/view#`), link)
    await page.getByText('May watch, control').waitFor()
    await assertUsable(page)
    const [invitation] = await world.owner.listLiveInvitations({ sandboxId: world.sandboxId })
    assert.deepEqual(invitation?.scope.toSorted(), ['input', 'view'])
    const stranger = await openBrowser()
    const view = await stranger.newPage()
    await view.goto(link)
    await view.getByRole('button', { name: 'Take control' }).click()
    await view.getByText('You are in control').waitFor()
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('There are none.').waitFor()
    await view.getByRole('button', { name: 'Use another link' }).waitFor()
    await stranger.close()
    await page.close()
  })
}
