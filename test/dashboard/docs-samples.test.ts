import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { inputsOf } from '../../apps/dashboard/src/docs/inputs.ts'
import { curlSample, typeScriptSample } from '../../apps/dashboard/src/docs/samples.ts'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { makeReference, operationEntries } from '../../scripts/reference/make-reference.ts'

const root = join(import.meta.dirname, '../..')
const { operations } = await makeReference()
const samples = operationEntries().flatMap(entry => {
  const details = operations[entry.id]
  assert.ok(details, entry.id)
  const examples = details.examples.length > 0 ? details.examples : [undefined]
  return examples.map(example => ({
    entry,
    details,
    inputs: inputsOf(example, details),
    values: {},
    url: 'http://localhost',
  }))
})

test('the client library accepts every request as the page writes it', async () => {
  // In the checkout, where the name of the package leads to its source.
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'samples-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  for (const [index, sample] of samples.entries()) {
    const text = typeScriptSample(sample)
    if (text !== undefined) await writeFile(join(folder, `${sample.entry.id}-${index}.ts`), text)
  }
  const configuration = { extends: join(root, 'tsconfig.json'), include: ['./*.ts'], exclude: [] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(configuration))
  const { stdout } = await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', folder])
  assert.equal(stdout, '')
})

test('no request for a terminal names a host but the service, or uploads a screenshot', () => {
  for (const sample of samples) {
    const text = curlSample(sample) ?? ''
    const hosts = [...text.matchAll(/https?:\/\/([^/'"]+)/g)].map(([, host]) => host)
    assert.deepEqual(hosts, text === '' ? [] : ['localhost'], text)
    assert.doesNotMatch(text, /screenShotPutUrl/)
  }
})
