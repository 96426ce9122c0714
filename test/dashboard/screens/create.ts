import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible } from '../support/accessible.ts'
import type { World } from '../support/world.ts'

/** The form for a new sandbox. */
export function create(world: World): void {
  test('a sandbox is created as it was chosen, and what is wrong is said next to its field', async () => {
    const page = await world.open('/sandboxes/new')
    await page.getByRole('radio', { name: 'small' }).waitFor()
    await page.getByText(/1 CPU, 512 MiB memory, 512 MiB disk/).waitFor()
    await assertAccessible(page)
    await page.getByLabel('Name', { exact: true }).fill('x'.repeat(300))
    await page.getByLabel('Lifetime in minutes').fill('90')
    await page.getByLabel('Network').selectOption('list')
    await page.getByLabel('Hosts').fill('example.com\nNOT A HOST')
    await page.getByLabel('Labels').fill('team=web')
    await page.getByLabel('Environment').fill('GREETING=hello there')
    await page.getByRole('button', { name: 'Create sandbox' }).click()
    await page
      .getByRole('alert')
      .filter({ hasText: /NOT A HOST/ })
      .waitFor()
    assert.equal(await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid'), 'true')
    await page.getByLabel('Name', { exact: true }).fill('made here')
    await page.getByLabel('Hosts').fill('example.com')
    await page.getByRole('tab', { name: 'Command line' }).click()
    await page.getByText(/--label team=web/).waitFor()
    await page.getByRole('tab', { name: 'TypeScript' }).click()
    await page.getByText(/lifeSeconds: 5400/).waitFor()
    await page.getByRole('button', { name: 'Create sandbox' }).click()
    await page.waitForURL(/\/sandboxes\/(?!new)/)
    const sandboxId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const { sandbox } = await world.owner.getSandbox({ sandboxId, wait: 60 })
    assert.deepEqual(
      [sandbox.name, sandbox.labels, sandbox.status],
      ['made here', { team: 'web' }, 'RUNNING'],
    )
    const { stdoutBase64 } = await world.owner.execSandboxProcess({
      sandboxId,
      body: { executable: 'sh', args: ['-c', 'echo "$GREETING"'] },
    })
    assert.equal(Buffer.from(stdoutBase64, 'base64').toString(), 'hello there\n')
    await world.owner.deleteSandbox({ sandboxId })
    await page.close()
  })
}
