import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { Page } from 'playwright-core'
import { assertUsable, boxOf, openTab } from '../support/sandbox-page.ts'
import type { World } from '../support/world.ts'

/** The live view in the page of a sandbox. */
export function sandboxLive(world: World): void {
  const box = boxOf(world)

  test('a person takes over, types, keeps control in another tab, and hands back', async t => {
    await box.run('(xterm -geometry 80x20+100+100 -e "cat > live-typed" >/dev/null 2>&1 &)')
    await waitFor(async () => (await box.run('xwininfo -root -tree')).stdout.includes('xterm'))
    const page = await openTab(t, world, 'screen')
    await hasPicture(page)
    const live = page.getByRole('region', { name: 'Live view' })
    await live.getByRole('button', { name: 'Take control' }).click()
    await live.getByText('You are in control').waitFor()
    await page.getByRole('status').getByText('is in control').waitFor()
    const canvas = await page.locator('canvas').first().boundingBox()
    assert.ok(canvas)
    const { width } = await page
      .locator('canvas')
      .first()
      .evaluate((each: HTMLCanvasElement) => each)
    const scale = canvas.width / (width || canvas.width)
    await page.mouse.click(canvas.x + 300 * scale, canvas.y + 200 * scale)
    await page.keyboard.type('by hand')
    await page.keyboard.press('Enter')
    await waitFor(async () => (await box.files.readText('live-typed')) === 'by hand\n')
    await page.getByRole('tab', { name: 'Log' }).click()
    await page.getByRole('list', { name: 'Log' }).getByText('took control').first().waitFor()
    assert.equal((await box.info()).control, 'user')
    await page.getByRole('tab', { name: 'Screen' }).click()
    await assertUsable(page)
    await live.getByRole('button', { name: 'Hand back' }).click()
    await page.getByRole('status').getByText('The agent is in control').waitFor()
    assert.equal((await box.info()).control, 'agent')
  })

  test('two people pass control to each other', async t => {
    const { apiKey } = await world.owner.createApiKey({ body: { name: 'Grace', role: 'member' } })
    const browser = await world.browserOf(apiKey ?? '')
    const [ada, grace] = await Promise.all([
      openTab(t, world, 'screen'),
      openTab(t, world, 'screen', browser),
    ])
    await Promise.all([hasPicture(ada), hasPicture(grace)])
    await ada.getByRole('button', { name: 'Take control' }).click()
    await ada.getByText('You are in control').waitFor()
    await ada.getByText('2 watching').waitFor()
    await grace.getByRole('button', { name: 'Ask for control' }).click()
    await ada.getByText('Grace is asking for control').waitFor()
    await ada.getByRole('button', { name: 'Give control' }).click()
    await grace.getByText('You are in control').waitFor()
    await ada.getByRole('status').getByText('Grace is in control').waitFor()
    await grace.getByRole('button', { name: 'Hand back' }).click()
    await ada.getByRole('status').getByText('The agent is in control').waitFor()
  })

  test('the page says that an agent asks for a person, and what for', async t => {
    const page = await openTab(t, world, 'screen')
    const { sandboxId } = world
    await world.owner.setSandboxControl({ sandboxId, body: { holder: 'user', message: 'Please sign in' } })
    const asked = page.getByRole('alert').getByText('Please sign in')
    await asked.first().waitFor()
    await page.waitForFunction(() => document.title.includes('A person is needed'))
    await world.owner.setSandboxControl({ sandboxId, body: { holder: 'agent' } })
    await waitFor(async () => (await asked.count()) === 0)
  })
}

async function hasPicture(page: Page): Promise<void> {
  await page.waitForFunction(() => (document.querySelector('canvas')?.width ?? 0) > 0)
}
