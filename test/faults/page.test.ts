import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { reliabilityPage, rowStart } from './page.ts'
import { product } from './product.ts'
import { readResults } from './results.ts'

const page = new URL('../../docs/reliability.md', import.meta.url)
const results = await readResults()

if (results) {
  const day = new Date().toISOString().slice(0, 10)
  const about = results.length > 0 ? `${day}, on ${availableParallelism()} cores` : 'nothing yet'
  await writeFile(page, reliabilityPage(results, about))

  test('everything was restored within its promised time', () => {
    const late = product().flatMap(({ target, fault, promisedSeconds }) =>
      results
        .filter(result => result.target === target && result.fault === fault)
        .filter(({ restoredMs }) => restoredMs > promisedSeconds * 1000)
        .map(({ restoredMs }) => `${target}, ${fault}: ${restoredMs} ms, promised ${promisedSeconds} s`),
    )
    assert.deepEqual(late, [])
  })
}

test('docs/reliability.md lists every process and fault with its promised time (npm run faults writes it)', async () => {
  const rows = (await readFile(page, 'utf8')).split('\n').filter(line => line.endsWith(' s |'))
  const ends = product().map(({ promisedSeconds }) => ` | ${promisedSeconds} s |`)
  assert.equal(rows.length, product().length)
  for (const [at, promised] of product().entries()) {
    const row = rows[at] ?? ''
    assert.ok(
      row.startsWith(rowStart(promised)) && row.endsWith(ends[at] ?? ''),
      `${rowStart(promised)}: ${row}`,
    )
  }
})
