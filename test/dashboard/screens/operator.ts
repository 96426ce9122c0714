import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { assertAccessible } from '../support/accessible.ts'
import type { World } from '../support/world.ts'

/** The pages of operators. */
export function operator(world: World): void {
  test('an operator sees all organizations, changes plans and drains a node', async () => {
    const browser = await world.browserOf(world.installation.credentials.operatorKey)
    const page = await world.open('/', browser)
    await page.getByRole('heading', { name: 'Nodes' }).waitFor()
    await page.getByRole('cell', { name: 'small' }).waitFor()
    const nodes = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    // The guide and the API are pages of their own.
    const isOfDashboard = (title: string) => title !== 'Guide' && title !== 'API'
    for (const title of (await nodes.allTextContents()).filter(isOfDashboard)) {
      await nodes.filter({ hasText: title }).click()
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await page.getByText('Loading…').waitFor({ state: 'detached' })
      await assertAccessible(page)
    }

    await page.goto(`${world.url}/operator/organizations`)
    await page.getByRole('button', { name: 'New plan' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Not valid')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('trial')
    await page.getByLabel('Sandboxes at once').fill('2')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'New organization' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Acme')
    await page.getByLabel('Plan', { exact: true }).selectOption('trial')
    await page.getByRole('button', { name: 'Create' }).click()
    const key = await page.getByRole('dialog', { name: 'The owner key' }).getByRole('code').textContent()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    const theirs = await world.browserOf(key ?? '')
    const acme = await world.open('/usage', theirs)
    await acme.getByText('0 of 2').waitFor()
    await theirs.close()

    await page.goto(`${world.url}/operator/sandboxes`)
    await page.getByRole('table').getByText('Running').first().waitFor()
    await page.goto(`${world.url}/operator/settings`)
    await page.getByRole('searchbox', { name: 'Search settings' }).fill('SANDGLASS_PORT')
    await page.getByRole('cell', { name: /^SANDGLASS_PORT/ }).waitFor()

    await page.goto(`${world.url}/operator/nodes`)
    await page.getByRole('button', { name: 'Drain' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click()
    await page.getByText('draining').waitFor()
    await assert.rejects(world.owner.createSandbox({ body: { shapeName: 'small' } }, { retries: 0 }))
    await page.getByRole('button', { name: 'Take sandboxes again' }).click()
    await page.getByText('alive').waitFor()
    await waitFor(async () => (await world.owner.listShapes()).length > 0)
    await browser.close()
  })
}
