import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { rowStart } from './page.ts'
import { product } from './product.ts'

test('docs/reliability.md has every process and fault, with what is promised (npm run faults writes it)', async () => {
  const text = await readFile(new URL('../../docs/reliability.md', import.meta.url), 'utf8')
  const rows = text.split('\n').filter(line => /^\| [a-zQX]/.test(line) && !line.startsWith('| process |'))
  const told = rows.map(line => line.split(' | ').slice(0, 2).join(' | ').concat(' |'))
  assert.deepEqual(told, product().map(rowStart))
  const promised = rows.map(line => line.split(' | ').at(-1))
  assert.deepEqual(
    promised,
    product().map(({ restoredWithinSeconds }) => `${restoredWithinSeconds} s |`),
  )
})
