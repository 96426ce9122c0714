import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../../local/host/run-command.ts'
import { readNote } from './read-note.ts'

test('only the end of a file is read, whatever else has its name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-note-'))
  try {
    await writeFile(join(folder, 'long'), `${'x'.repeat(100_000)}end`)
    assert.equal(await readNote(folder, 'long', 4), 'xend')
    await writeFile(join(folder, 'short'), '0')
    assert.equal(await readNote(folder, 'short', 4), '0')
    await symlink(join(folder, 'short'), join(folder, 'link'))
    await mkdir(join(folder, 'folder'))
    // Nobody writes to it, so whoever opens it as a file waits.
    await runCommand('mkfifo', [join(folder, 'pipe')])
    for (const name of ['link', 'folder', 'pipe', 'missing'])
      assert.equal(await readNote(folder, name, 4), '', name)
  } finally {
    await rm(folder, { recursive: true })
  }
})
