import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { assertUsable, boxOf, openTab } from '../support/sandbox-page.ts'
import type { World } from '../support/world.ts'

/** The ports of a sandbox. */
export function sandboxPorts(world: World): void {
  const box = boxOf(world)

  test('a port is mapped, opened in the browser, and removed', async () => {
    await box.files.write('site/index.html', '<h1>From the machine</h1>')
    await box.run('cd site && (python3 -m http.server -b 127.0.0.1 8123 >/dev/null 2>&1 &)')
    const page = await openTab(world, 'ports')
    await page.getByRole('textbox', { name: 'Port' }).fill('99999')
    await page.getByRole('button', { name: 'Map' }).click()
    const port = page.getByRole('textbox', { name: 'Port' })
    await page.getByRole('alert').getByText('a port from 1 to 65535').waitFor()
    assert.equal(await port.getAttribute('aria-invalid'), 'true')
    await port.fill('8123')
    await page.getByRole('button', { name: 'Map' }).click()
    await page.getByRole('listitem').getByText('127.0.0.1:8123').waitFor()
    await assertUsable(page)
    const [mapping] = await world.owner.listHttpMappings({ sandboxId: world.sandboxId })
    const popup = world.browser.waitForEvent('page')
    await page.getByRole('link', { name: 'Open' }).click()
    const site = await popup
    await site.getByRole('heading', { name: 'From the machine' }).waitFor()
    assert.equal(site.url(), `http://${mapping?.domain}/`)
    await site.close()
    await page.getByRole('button', { name: 'Remove 127.0.0.1:8123' }).click()
    await page.getByText('No port has an address yet.').waitFor()
    await waitFor(async () => (await box.ports.list()).length === 0)
    await page.close()
  })
}
