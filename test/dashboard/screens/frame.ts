import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible } from '../support/accessible.ts'
import type { World } from '../support/world.ts'

/** What is around every page. */
export function frame(world: World): void {
  test('the navigation leads to every page, and nothing on them is hard to use', async () => {
    const page = await world.open('/')
    const places = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    await places.first().waitFor()
    const titles = await places.allTextContents()
    assert.ok(titles.length > 8, titles.join())
    for (const title of titles.filter(each => each !== 'API')) {
      await page
        .getByRole('navigation', { name: 'Main' })
        .getByRole('link', { name: title, exact: true })
        .click()
      await page.getByRole('heading', { level: 1 }).waitFor()
      await assertAccessible(page)
    }
    await page.close()
  })

  test('the colours that a person chooses stay, in every tab', async () => {
    const page = await world.open('/')
    const other = await world.open('/projects')
    await page.getByRole('button', { name: 'Account' }).last().click()
    await page.getByRole('menuitem', { name: 'Dark' }).click()
    for (const tab of [page, other])
      await tab.waitForFunction(() => document.documentElement.dataset['theme'] === 'dark')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Account' }).last().click()
    await page.getByRole('menuitem', { name: 'Light' }).click()
    await other.waitForFunction(() => document.documentElement.dataset['theme'] === 'light')
    await Promise.all([page.close(), other.close()])
  })
}
