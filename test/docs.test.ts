import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { pages } from '../scripts/pages.ts'

for (const [name, text] of Object.entries(pages()))
  test(`docs/${name} matches the code (npm run docs writes it)`, async () => {
    assert.equal(await readFile(new URL(`../docs/${name}`, import.meta.url), 'utf8'), text)
  })
