import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { assertAccessible } from '../support/accessible.ts'
import type { World } from '../support/world.ts'

/** What an organization has besides sandboxes. */
export function resources(world: World): void {
  test('projects are made, renamed and deleted', async () => {
    const page = await world.open('/projects')
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Web tests')
    await page.getByRole('button', { name: 'Create' }).click()
    const row = page.getByRole('row', { name: /Web tests/ })
    await row.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Phone tests')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page
      .getByRole('row', { name: /Phone tests/ })
      .getByRole('button', { name: 'Delete' })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('row', { name: /Phone tests/ }).waitFor({ state: 'detached' })
    await page.close()
  })

  test('a webhook is made, and shows what was sent to it', async () => {
    const page = await world.open('/webhooks')
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByLabel('URL').fill('http://127.0.0.1:9/hook')
    await page.getByLabel('Events').fill('nonsense!')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await page.getByLabel('Events').fill('sandbox.*')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('link', { name: 'http://127.0.0.1:9/hook' }).click()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByRole('cell', { name: 'webhook.test' }).waitFor()
    await page.getByRole('button', { name: 'Details' }).first().click()
    await page
      .getByRole('dialog')
      .getByText(/webhook-id/)
      .waitFor()
    await page.keyboard.press('Escape')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No webhooks yet.').waitFor()
    await page.close()
  })

  test('the default MCP server is made, and its configuration can be copied', async () => {
    const page = await world.open('/mcp-servers')
    await page.getByRole('button', { name: 'Make the default one' }).click()
    const { id } = await waitForServer(world)
    await page.getByText(`/api/mcp/${id}`).waitFor()
    await page.getByLabel('Assistant').selectOption('vscode')
    await page.getByText('.vscode/mcp.json').waitFor()
    await page.getByRole('tab', { name: 'Recent calls' }).click()
    await page.getByText('No tool was called yet.').waitFor()
    await page.getByRole('button', { name: 'Change' }).click()
    await page.getByRole('checkbox', { name: 'shell' }).uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await waitFor(async () => (await world.owner.listMcpServers())[0]?.tools.shell === false)
    await page.close()
  })

  test('a volume is made and deleted', async () => {
    const page = await world.open('/images')
    await page.getByRole('button', { name: 'New volume' }).click()
    await page.getByLabel('Name', { exact: true }).fill('data')
    await page.getByLabel('Size in MiB').fill('1')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await page.getByLabel('Size in MiB').fill('64')
    await page.getByRole('button', { name: 'Create' }).click()
    const row = page.getByRole('row', { name: /data/ })
    await row.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
    await page.close()
  })

  test('an image is built from a script while its log is shown, and a sandbox can begin with it', async () => {
    const page = await world.open('/images')
    await page.getByRole('button', { name: 'Build an image' }).click()
    await page.getByLabel('Name', { exact: true }).fill('greeting')
    await page.getByLabel('Script').fill('echo building; echo hello > /etc/greeting')
    await page.getByRole('dialog').getByRole('button', { name: 'Build' }).click()
    await page.getByRole('log').filter({ hasText: 'The image is ready.' }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    const row = page.getByRole('row', { name: /greeting/ })
    await row.getByText('ready').waitFor()
    await row.getByRole('link', { name: 'New sandbox' }).click()
    await page
      .getByLabel('Image')
      .locator('option:checked')
      .filter({ hasText: 'greeting' })
      .waitFor({ state: 'attached' })
    await page.goBack()
    await row.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
    await page.close()
  })

  test('usage and the audit log are shown, searched and saved', async () => {
    const page = await world.open('/usage')
    await page.getByRole('img', { name: /Billed hours by day/ }).waitFor()
    await page.getByRole('cell', { name: 'small' }).waitFor()
    const [usage] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ])
    assert.match(
      await readFile(await usage.path(), 'utf8'),
      /^day,project,projectId,shape,seconds,billedSeconds\r\n\d{4}-/,
    )
    await page.goto(`${world.url}/audit`)
    await page.getByLabel('Operation').fill('createSandbox')
    await waitFor(async () => {
      const shown = await page
        .getByRole('row')
        .getByText(/^[a-z]+[A-Z]\w+$/)
        .allTextContents()
      return shown.length > 0 && shown.every(name => name === 'createSandbox')
    })
    const [log] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ])
    assert.match(await readFile(await log.path(), 'utf8'), /,createSandbox,done,apiKey,/)
    await page.close()
  })

  test('the playground draws what a parser reads, and runs it in a sandbox', async () => {
    const page = await world.open('/playground')
    await page.getByLabel('Output of the model').fill('Thought: There.\nAction: click(start_box="(40,30)")')
    await page.getByRole('radio', { name: 'ui-tars', exact: true }).click()
    await page.getByRole('img', { name: '1 actions drawn on the screen' }).waitFor()
    await page.getByRole('button', { name: 'Run in the sandbox' }).click()
    await page.getByText('"success": true').waitFor()
    const { sandboxId } = world
    await waitFor(async () => {
      const { actions } = await world.owner.listSandboxActions({ sandboxId })
      return actions[0]?.type === 'mouse:click'
    })
    await assertAccessible(page)
    await page.close()
  })
}

async function waitForServer(world: World) {
  await waitFor(async () => (await world.owner.listMcpServers()).length > 0)
  const [server] = await world.owner.listMcpServers()
  assert.ok(server)
  return server
}
