import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { waitFor } from '@sandglass/machines/testing'
import type { Page } from 'playwright-core'
import { assertUsable, boxOf, openTab } from '../support/sandbox-page.ts'
import type { World } from '../support/world.ts'

const run = promisify(execFile)

/** The files of a sandbox. */
export function sandboxFiles(world: World): void {
  const { files } = boxOf(world)

  test('a file is edited and saved with its permissions, but not over what somebody else wrote', async t => {
    await files.write('notes.py', 'one = 1\r\n', { mode: 0o700 })
    const page = await openTab(t, world, 'files')
    await item(page, 'notes.py').click()
    const editor = page.getByRole('textbox', { name: 'notes.py' })
    await editor.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('two = 2')
    await page.getByText('Not saved', { exact: true }).waitFor()
    await page.keyboard.press('Control+S')
    await waitFor(async () => (await files.readText('notes.py')) === 'one = 1\r\ntwo = 2')
    assert.equal((await files.stat('notes.py')).mode, '0700')
    await assertUsable(page)
    await editor.click()
    await page.keyboard.type('#')
    await files.write('notes.py', 'theirs\n')
    await page.getByText('The file was changed in the machine meanwhile.').waitFor()
    await page.keyboard.press('Control+S')
    assert.equal(await files.readText('notes.py'), 'theirs\n')
    await page.getByRole('button', { name: 'Read it again' }).click()
    await editor.getByText('theirs').waitFor()
    await files.write('notes.py', 'theirs again\n')
    await editor.getByText('theirs again').waitFor()
  })

  test('files are uploaded by button and by dropping them, and asked about before they are replaced', async t => {
    const page = await openTab(t, world, 'files')
    await item(page, 'Home').waitFor()
    const choose = (text: string) =>
      page
        .getByLabel('Files to upload')
        .setInputFiles({ name: 'up.txt', mimeType: 'text/plain', buffer: Buffer.from(text) })
    await choose('first')
    await item(page, 'up.txt').waitFor()
    assert.equal(await files.readText('up.txt'), 'first')
    await choose('second')
    await page.getByRole('dialog', { name: 'Replace up.txt?' }).waitFor()
    assert.equal(await files.readText('up.txt'), 'first')
    await page.getByRole('button', { name: 'Replace' }).click()
    await waitFor(async () => (await files.readText('up.txt')) === 'second')
    await files.makeFolder('inbox')
    await item(page, 'inbox').waitFor()
    const dataTransfer = await page.evaluateHandle(() => {
      const data = new DataTransfer()
      data.items.add(new File(['dropped'], 'dropped.txt'))
      return data
    })
    await item(page, 'inbox').dispatchEvent('drop', { dataTransfer })
    await waitFor(async () => files.exists('inbox/dropped.txt'))
    assert.equal(await files.readText('inbox/dropped.txt'), 'dropped')
    await page.getByRole('list', { name: 'Transfers' }).getByText('Done').first().waitFor()
    await assertUsable(page)
  })

  test('files and folders are downloaded, also what cannot be shown', async t => {
    const bytes = new Uint8Array([0, 255, 1, 254])
    await files.write('pack/data.bin', bytes)
    await files.write("pack/it's.txt", 'inside')
    const page = await openTab(t, world, 'files')
    await item(page, 'pack').click()
    await item(page, 'data.bin').click()
    await page.getByText('This file is not a text.').waitFor()
    assert.deepEqual(await saved(page), Buffer.from(bytes))
    await item(page, 'pack').click()
    const archive = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).first().click()
    const download = await archive
    assert.equal(download.suggestedFilename(), 'pack.tar.gz')
    const { stdout } = await run('tar', ['-xzOf', await download.path(), "pack/it's.txt"])
    assert.equal(stdout, 'inside')
  })

  test('folders and files are made, renamed and deleted, and appear when others make them', async t => {
    const page = await openTab(t, world, 'files')
    await item(page, 'Home').waitFor()
    await page.getByRole('button', { name: 'New folder' }).click()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').getByText('A name is needed.').waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('made')
    await page.getByRole('button', { name: 'Create' }).click()
    await item(page, 'made').waitFor()
    assert.equal((await files.stat('made')).kind, 'directory')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('renamed')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await item(page, 'renamed').waitFor()
    await files.write('renamed/theirs.txt', 'x')
    await page.keyboard.press('Tab')
    await item(page, 'renamed').focus()
    await page.keyboard.press('ArrowRight')
    await item(page, 'theirs.txt').waitFor()
    await files.write('elsewhere.txt', 'x')
    await item(page, 'elsewhere.txt').waitFor()
    await item(page, 'renamed').click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await waitFor(async () => !(await files.exists('renamed')))
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await item(page, 'renamed').waitFor({ state: 'detached' })
  })
}

function item(page: Page, name: string) {
  return page.getByRole('treeitem', { name, exact: true })
}

async function saved(page: Page): Promise<Buffer> {
  const started = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).last().click()
  return await readFile(await (await started).path())
}
