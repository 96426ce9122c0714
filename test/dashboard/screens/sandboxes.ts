import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { assertAccessible } from '../support/accessible.ts'
import type { World } from '../support/world.ts'

/** The list of all sandboxes. */
export function sandboxes(world: World): void {
  const nameOf = async () => (await world.owner.getSandbox({ sandboxId: world.sandboxId })).sandbox.name

  test('a card shows what is on the screen of a sandbox, and follows it', async () => {
    const page = await world.open('/')
    const picture = page.getByRole('img', { name: `The screen of ${await nameOf()}` })
    await picture.waitFor()
    const before = await picture.getAttribute('src')
    const { sandboxId } = world
    const command = 'xterm -geometry 40x10+50+50 >/dev/null 2>&1 &'
    await world.owner.execSandboxProcess({ sandboxId, body: { executable: 'sh', args: ['-c', command] } })
    await waitFor(async () => (await picture.getAttribute('src')) !== before)
    assert.equal(await picture.evaluate(image => (image as HTMLImageElement).naturalWidth), 320)
    await page.close()
  })

  test('sandboxes that are created, renamed and deleted elsewhere appear and disappear, in every tab', async () => {
    const page = await world.open('/')
    const other = await world.open('/')
    const { id } = await world.owner.createSandbox({
      body: { name: 'from elsewhere', shapeName: 'small', labels: { team: 'web' } },
    })
    for (const tab of [page, other]) await tab.getByRole('link', { name: 'from elsewhere' }).waitFor()
    await world.owner.updateSandbox({ sandboxId: id, body: { name: 'renamed elsewhere' } })
    await page.getByRole('link', { name: 'renamed elsewhere' }).waitFor()
    const search = page.getByRole('searchbox', { name: /Search/ })
    await search.fill('team=web')
    await waitFor(async () => (await page.getByRole('article').count()) === 1)
    await search.fill('no such sandbox')
    await page.getByText('No sandbox matches.').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByRole('button', { name: 'Show as a table' }).click()
    await page.getByRole('checkbox', { name: 'Select renamed elsewhere' }).check()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Delete 1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Deleted one sandbox.').first().waitFor()
    await other.getByRole('link', { name: 'renamed elsewhere' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Show as cards' }).click()
    await Promise.all([page.close(), other.close()])
  })

  test('of five hundred sandboxes only those exist on the page that can be seen, down to the last', async () => {
    const page = await world.browser.newPage()
    const [one] = await world.owner.listSandboxes()
    const many = Array.from({ length: 500 }, (_, index) => ({
      ...one,
      id: `many-${index}`,
      name: `Number ${index}`,
      status: 'STOPPED',
    }))
    await page.route('**/api/orgs/*/sandboxes', route => route.fulfill({ json: many }))
    await page.goto(world.url)
    await page.getByRole('article').first().waitFor()
    await page.getByRole('main').evaluate(main => main.scrollTo(0, main.scrollHeight))
    await page.getByRole('link', { name: 'Number 499' }).waitFor()
    assert.ok((await page.getByRole('article').count()) < 60)
    await page.close()
  })

  test('a person who is needed stands out on the page and in its title', async () => {
    const page = await world.open('/')
    const { sandboxId, owner } = world
    const name = await nameOf()
    await owner.executeSandboxAction({ sandboxId, body: { action: { type: 'client:user-takeover' } } })
    await page.getByText(`A person is needed in ${name}`).waitFor()
    await page.waitForFunction(() => document.title.startsWith('(1) '))
    await owner.setSandboxControl({ sandboxId, body: { holder: 'agent' } })
    await page.getByText(`A person is needed in ${name}`).waitFor({ state: 'detached' })
    await page.waitForFunction(() => !document.title.startsWith('('))
    await page.close()
  })
}
