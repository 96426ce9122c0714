import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { signInByPage } from '../support/sign-in.ts'
import type { World } from '../support/world.ts'

/** Keys, and what becomes of people who are signed in with them. */
export function credentials(world: World): void {
  test('a key is made, signs in somebody in another browser, and signs them out when it is revoked', async () => {
    const page = await world.open('/keys')
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('dialog').getByRole('alert').first().waitFor()
    await page.getByLabel('Name', { exact: true }).fill('for Ada')
    await page.getByLabel('Role').selectOption('member')
    await page.getByRole('button', { name: 'Create' }).click()
    const key = await page.getByRole('dialog', { name: 'The new key' }).getByRole('code').textContent()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('cell', { name: 'for Ada', exact: true }).waitFor()

    const ada = await world.emptyBrowser()
    const hers = await signInByPage(ada, `${world.url}/playground`, key ?? '')
    await hers.getByRole('heading', { name: 'Playground' }).waitFor()
    assert.equal(new URL(hers.url()).pathname, '/playground', 'she is where she wanted to be')
    assert.equal(await hers.getByRole('link', { name: 'Keys' }).count(), 0, 'members do not manage keys')

    await page.getByRole('tab', { name: 'Signed in' }).click()
    await page.getByRole('cell', { name: 'for Ada', exact: true }).waitFor()
    await page.getByRole('tab', { name: 'API keys' }).click()
    await page.getByRole('button', { name: 'Actions for for Ada' }).click()
    await page.getByRole('menuitem', { name: 'Change' }).click()
    await page.getByLabel('Role').selectOption('viewer')
    await page.getByRole('button', { name: 'Save' }).click()
    await waitFor(async () =>
      (await world.owner.listApiKeys()).some(({ name, role }) => name === 'for Ada' && role === 'viewer'),
    )
    await page.getByRole('button', { name: 'Actions for for Ada' }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('cell', { name: 'for Ada', exact: true }).waitFor({ state: 'detached' })
    await hers.getByRole('heading', { name: 'Sign in to Sandglass' }).waitFor()
    await ada.close()
    await page.close()
  })

  test('a wrong key is said next to its field, and signing out ends the session', async () => {
    const browser = await world.emptyBrowser()
    const page = await signInByPage(browser, `${world.url}/`, 'sg_nonsense')
    await page.getByRole('alert').waitFor()
    await page.getByLabel('API key').fill(world.installation.credentials.apiKey)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Sandboxes' }).waitFor()
    await page.goto(`${world.url}/account`)
    await page.getByText('this one').waitFor()
    await page.getByRole('button', { name: 'Account' }).last().click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Sandglass' }).waitFor()
    assert.equal(
      (
        await browser.request.get(`${world.url}/api/whoami`, { headers: { 'x-sandglass-session': '1' } })
      ).status(),
      401,
    )
    await browser.close()
  })

  test('a link signs in once, and leaves the address bar', async () => {
    const { url } = await world.owner.createSignInCode()
    const browser = await world.emptyBrowser()
    const page = await browser.newPage()
    await page.goto(url)
    await page.getByRole('heading', { name: 'Sandboxes' }).waitFor()
    assert.equal(new URL(page.url()).hash, '')
    await browser.close()
    const other = await world.emptyBrowser()
    const late = await other.newPage()
    await late.goto(url)
    await late.getByRole('alert').filter({ hasText: 'already used' }).waitFor()
    const refused = await other.newPage()
    await refused.goto(`${world.url}/sign-in#error=session.NO_ORGANIZATION`)
    await refused.getByRole('alert').filter({ hasText: 'names no organization' }).waitFor()
    await other.close()
  })

  test('a trial token is made for chosen shapes', async () => {
    const page = await world.open('/keys')
    await page.getByRole('tab', { name: 'Trial tokens' }).click()
    await page.getByRole('button', { name: 'New trial token' }).click()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Choose at least one shape.').waitFor()
    await page.getByRole('checkbox', { name: 'small' }).check()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No trial tokens.').waitFor()
    await page.close()
  })
}
