import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { begin, end, withReport } from './page.ts'

test('docs/soak.md has a place for the result, and keeps what is around it', async () => {
  const page = await readFile(new URL('../../docs/soak.md', import.meta.url), 'utf8')
  const written = withReport(page, '| what | verdict |')
  assert.ok(written.includes(`${begin}\n| what | verdict |\n${end}`))
  assert.ok(written.startsWith('# Soak'))
  assert.throws(() => withReport('# Soak', ''), /markers/)
})
