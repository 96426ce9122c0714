import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

const packages = join(import.meta.dirname, '../../..')

const comparison = /([\w.#?()]+)\s*[!=]==?\s*([\w.#?('"`]+)/g
/** Matches the id of a node under any of its names, as in `sandbox.node_id`, `this.#nodeId`, `owner.node` or `pictures.tag`. */
const nodeName = /(?:^|[.#?(])(?:node_id|nodeId|node|tag)\)*$|nodeTag\(/
const literal = /^(?:undefined|null|['"`\d])/

function comparisons(source: string): string[] {
  return [...source.matchAll(comparison)]
    .filter(([, left = '', right = '']) => nodeName.test(left) || nodeName.test(right))
    .filter(([, left = '', right = '']) => !literal.test(left) && !literal.test(right))
    .map(([text]) => text)
}

test('the search finds every spelling of a comparison of node ids', () => {
  for (const line of [
    'if (sandbox.node_id !== this.#keeper.nodeId) return',
    'return nodeId === keeper.nodeId ? undefined : nodeId',
    'if (id.node === pictures.tag) throw',
    'if (here == row?.node_id) go()',
    'nodes.find(({ id }) => nodeTag(id) === tag)',
    'owner.node !== ledger.nodeId',
  ])
    assert.equal(comparisons(line).length, 1, line)
  for (const line of [
    'if (nodeId === undefined) return',
    ".where('node_id', '=', nodeId)",
    'const { nodeId } = placement',
    "if (location.at === 'node') forward()",
    'node_id: machine.nodeId,',
  ])
    assert.deepEqual(comparisons(line), [], line)
})

test('only placement compares node ids', async () => {
  let files = 0
  for await (const file of glob('{server,gateway}/src/**/*.ts', { cwd: packages })) {
    if (file.startsWith('server/src/placement/') || file.endsWith('.test.ts')) continue
    files++
    const found = comparisons(await readFile(join(packages, file), 'utf8'))
    assert.deepEqual(found, [], `${file} compares ids of nodes; ask Placement.locate instead`)
  }
  assert.ok(files > 300)
})
