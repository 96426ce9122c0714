import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sandbox } from '@sandglass/client'
import { waitFor } from '@sandglass/machines/testing'
import type { Page } from 'playwright-core'
import { assertUsable, boxOf, openTab } from '../support/sandbox-page.ts'
import type { World } from '../support/world.ts'

/** What can be done with a sandbox as a whole. */
export function sandboxHeader(world: World): void {
  const box = boxOf(world)

  test('a sandbox is renamed and labelled, also in a second tab, and a wrong name is refused at its field', async () => {
    const [page, other] = [await openTab(world, 'log'), await openTab(world, 'connection')]
    const { name } = await box.info()
    await choose(page, 'Name and labels')
    await page.getByLabel('Name').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').first().waitFor()
    assert.equal(await page.getByLabel('Name').getAttribute('aria-invalid'), 'true')
    await assertUsable(page)
    await page.getByLabel('Name').fill('renamed by a person')
    await page.getByLabel('Labels').fill('team=shop')
    await page.getByRole('button', { name: 'Save' }).click()
    for (const tab of [page, other]) {
      await tab.getByRole('heading', { level: 1, name: 'renamed by a person' }).waitFor()
      await tab.getByText('team=shop').first().waitFor()
    }
    const info = await box.info()
    assert.deepEqual([info.name, info.labels], ['renamed by a person', { team: 'shop' }])
    await world.owner.updateSandbox({ sandboxId: world.sandboxId, body: { name, labels: {} } })
    await Promise.all([page.close(), other.close()])
  })

  test('a sandbox is extended', async () => {
    const page = await openTab(world, 'log')
    const before = Date.parse((await box.info()).expiresAt)
    await page.getByRole('button', { name: 'Extend' }).click()
    await page.getByLabel('It goes on for').selectOption('12 hours')
    await page.getByRole('dialog').getByRole('button', { name: 'Extend' }).click()
    await waitFor(async () => Date.parse((await box.info()).expiresAt) > before + 3600_000)
    await page.getByRole('list', { name: 'Log' }).getByText('The end was moved').first().waitFor()
    await page.close()
  })

  test('a sandbox is paused, says so where a machine is needed, and is resumed', async () => {
    const page = await openTab(world, 'terminal')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('The sandbox is paused.').waitFor()
    assert.equal((await box.info()).paused, true)
    await assertUsable(page)
    await page.getByRole('button', { name: 'Resume' }).first().click()
    await page.getByRole('status').getByText('Running').waitFor()
    assert.equal((await box.info()).status, 'RUNNING')
    await page.close()
  })

  test('a sandbox is forked, the fork is restarted and deleted, and its page then shows what happened', async () => {
    await box.files.write('in-the-fork', 'kept')
    const page = await openTab(world, 'log')
    await choose(page, 'Fork')
    await page.getByRole('dialog').getByLabel('Name').fill('a fork')
    await page.getByRole('dialog').getByRole('button', { name: 'Fork' }).click()
    await page.getByRole('heading', { level: 1, name: 'a fork' }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const fork = Sandbox.connect(id, { client: world.owner })
    await fork.untilRunning()
    assert.equal(await fork.files.readText('in-the-fork'), 'kept')
    await fork.run('touch /tmp/before-restart; (sleep 900 >/dev/null 2>&1 &)')
    await choose(page, 'Restart')
    await page.getByRole('dialog').getByRole('button', { name: 'Restart' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await fork.untilRunning()
    assert.equal((await fork.run(['pgrep', '-xf', 'sleep 900'])).exitCode, 1)
    await choose(page, 'Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await waitFor(async () => new URL(page.url()).pathname === '/')
    await page.goto(`${world.url}/sandboxes/${id}`)
    await page.getByRole('heading', { level: 1, name: 'a fork' }).waitFor()
    await page.getByText('It was deleted.').waitFor()
    await page.getByRole('list', { name: 'Log' }).getByText('The sandbox was deleted').waitFor()
    await assertUsable(page)
    await page.goto(`${world.url}/sandboxes/nonsense`)
    await page.getByText('There is no such sandbox.').waitFor()
    await page.close()
  })
}

async function choose(page: Page, command: string): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: command }).click()
}
