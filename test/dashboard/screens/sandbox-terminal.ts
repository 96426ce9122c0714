import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { Page } from 'playwright-core'
import { assertUsable, boxOf, openTab } from '../support/sandbox-page.ts'
import type { World } from '../support/world.ts'

/** The shells of a sandbox. */
export function sandboxTerminal(world: World): void {
  const box = boxOf(world)

  test('what is typed in shells happens in the machine, and they are there again after a reload', async t => {
    const page = await openTab(t, world, 'terminal')
    await prompt(page)
    await page.keyboard.type('kept=yes; echo first > from-first\n')
    await waitFor(async () => (await textOf('from-first')) === 'first\n')
    await page.getByRole('button', { name: 'New shell' }).click()
    await page.getByRole('region', { name: 'Shell 2' }).waitFor()
    await prompt(page)
    await page.keyboard.type(tellSize)
    await waitFor(async () => /^\d+ \d+\n$/.test(await textOf('from-second')))
    const before = await textOf('from-second')
    await page.setViewportSize({ width: 800, height: 600 })
    await waitFor(async () => {
      await page.keyboard.type(tellSize)
      return /^\d+ \d+\n$/.test(await textOf('from-second')) && (await textOf('from-second')) !== before
    })
    await assertUsable(page)
    await page.reload()
    await page.getByRole('list', { name: 'Shells' }).getByText('Shell 2').waitFor()
    await page.getByRole('button', { name: 'Shell 1', exact: true }).click()
    await page.locator('.xterm-rows').getByText('from-first').first().waitFor()
    await page.keyboard.type('echo $kept > from-reloaded\n')
    await waitFor(async () => (await textOf('from-reloaded')) === 'yes\n')
    await page.getByRole('button', { name: 'End Shell 2' }).click()
    await page.getByRole('button', { name: 'End Shell 1' }).click()
    await page.getByText('No shell is open.').waitFor()
    await waitFor(async () => (await running()) === 0)
  })

  test('text is copied and pasted, and the keyboard leaves the terminal', async t => {
    await world.browser.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.url })
    const page = await openTab(t, world, 'terminal')
    await prompt(page)
    await page.evaluate(() => navigator.clipboard.writeText('echo pasted > from-paste'))
    await page.keyboard.press('Control+V')
    await page.locator('.xterm-rows').getByText('from-paste').first().waitFor()
    await page.keyboard.press('Enter')
    await waitFor(async () => (await textOf('from-paste')) === 'pasted\n')
    await page.keyboard.press('Control+Alt+Shift')
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Shell 1')
    await page.getByRole('button', { name: 'End Shell 1' }).click()
    await waitFor(async () => (await running()) === 0)
  })

  test('a shell is replaced when the service was restarted', async t => {
    const page = await openTab(t, world, 'terminal')
    await prompt(page)
    world.installation.service.signal('SIGTERM')
    await world.installation.service.exit()
    await world.installation.startAgain()
    await page.locator('.xterm-rows').getByText('The connection to the shell was lost.').waitFor()
    await waitFor(async () => (await running()) === 1)
    await page.locator('.xterm').click()
    await page.keyboard.type('echo again > from-again\n')
    await waitFor(async () => (await textOf('from-again')) === 'again\n')
    await page.getByRole('button', { name: 'End Shell 1' }).click()
  })

  async function textOf(path: string): Promise<string> {
    return (await box.files.exists(path)) ? await box.files.readText(path) : ''
  }

  async function running(): Promise<number> {
    const shells = await world.owner.listSandboxShells({ sandboxId: world.sandboxId })
    return shells.filter(({ isRunning, useTty }) => isRunning && useTty).length
  }
}

/** The file is replaced, because a file that is emptied while it is read breaks off. */
const tellSize = 'stty size > size && mv size from-second\n'

async function prompt(page: Page): Promise<void> {
  await page.locator('.xterm-rows').getByText('$').first().waitFor()
}
