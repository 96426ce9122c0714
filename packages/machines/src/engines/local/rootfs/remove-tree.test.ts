import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../host/run-command.ts'
import { removeTree } from './remove-tree.ts'

test('folders are removed even if they are nested too deeply for any path', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
  try {
    const nest = 'chdir $ARGV[0] or die; for (1..2000) { mkdir "nested" or die; chdir "nested" or die }'
    await runCommand('perl', ['-e', nest, folder])
    await removeTree(folder)
    assert.ok(!existsSync(folder))
  } finally {
    await runCommand('rm', ['-rf', folder])
  }
})
