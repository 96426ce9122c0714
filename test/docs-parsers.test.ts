import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { parsersPage } from '../scripts/docs-parsers.ts'

test('docs/parsers.md is what the corpus makes it', async () => {
  assert.equal(await readFile(new URL('../docs/parsers.md', import.meta.url), 'utf8'), parsersPage())
})
