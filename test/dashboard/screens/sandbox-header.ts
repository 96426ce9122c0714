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

  test('a sandbox is renamed and labelled, also in a second tab, and a wrong name is refused at its field', async t => {
    const [page, other] = [await openTab(t, world, 'log'), await openTab(t, world, 'connection')]
    const { name } = await box.info()
    await choose(page, 'Name and labels')
    await page.getByRole('textbox', { name: 'Name' }).fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').first().waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Name' }).getAttribute('aria-invalid'), 'true')
    await assertUsable(page)
    await page.getByRole('textbox', { name: 'Name' }).fill('renamed by a person')
    await page.getByRole('textbox', { name: 'Labels' }).fill('team=shop')
    await page.getByRole('button', { name: 'Save' }).click()
    for (const tab of [page, other]) {
      await tab.getByRole('heading', { level: 1, name: 'renamed by a person' }).waitFor()
      await tab.getByText('team=shop').first().waitFor()
    }
    const info = await box.info()
    assert.deepEqual([info.name, info.labels], ['renamed by a person', { team: 'shop' }])
    await world.owner.updateSandbox({ sandboxId: world.sandboxId, body: { name, labels: {} } })
  })

  test('more tabs than a browser has connections stay live, also when the first one is closed', async t => {
    const tabs: Page[] = []
    for (let number = 0; number < 7; number++) tabs.push(await openTab(t, world, 'connection'))
    const { sandboxId } = world
    const { name } = await box.info()
    await world.owner.updateSandbox({ sandboxId, body: { name: 'seen by all' } })
    for (const tab of tabs) await tab.getByRole('heading', { level: 1, name: 'seen by all' }).waitFor()
    await tabs.shift()?.close()
    await world.owner.updateSandbox({ sandboxId, body: { name } })
    for (const tab of tabs) await tab.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  })

  test('a sandbox is extended', async t => {
    const page = await openTab(t, world, 'log')
    const before = Date.parse((await box.info()).expiresAt)
    await page.getByRole('button', { name: 'Extend' }).click()
    await page.getByLabel('It goes on for').selectOption('12 hours')
    await page.getByRole('dialog').getByRole('button', { name: 'Extend' }).click()
    await waitFor(async () => Date.parse((await box.info()).expiresAt) > before + 3600_000)
    await page.getByRole('list', { name: 'Log' }).getByText('The end was moved').first().waitFor()
  })

  test('a sandbox is paused, says so where a machine is needed, and is resumed', async t => {
    const page = await openTab(t, world, 'terminal')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('The sandbox is paused.').waitFor()
    assert.equal((await box.info()).paused, true)
    await assertUsable(page)
    await page.getByRole('button', { name: 'Resume' }).first().click()
    await page.getByRole('status').getByText('Running').waitFor()
    assert.equal((await box.info()).status, 'RUNNING')
  })

  test('a sandbox is forked, the fork is restarted and deleted, and its page then shows what happened', async t => {
    await box.files.write('in-the-fork', 'kept')
    const page = await openTab(t, world, 'log')
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
  })
}

async function choose(page: Page, command: string): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: command }).click()
}
