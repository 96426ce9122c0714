import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { ServiceProcess, temporaryFolder } from './support/service-process.ts'

const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')

test("the README's first curl responds as the README says", async () => {
  const [, script = ''] = /```sh\n(set -- [\s\S]*?)```/.exec(readme) ?? []
  const [, expected = ''] = /```json\n(.*)\n```/.exec(readme) ?? []
  const data = `${await temporaryFolder()}/data`
  await ServiceProcess.start(data)
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: dirname(data) })
  assert.deepEqual(JSON.parse(stdout), JSON.parse(expected))
})

test('every page that the README names exists', async () => {
  for (const [, path = ''] of readme.matchAll(/\]\(([\w/.-]+)\)/g))
    await assert.doesNotReject(readFile(new URL(`../${path}`, import.meta.url)), path)
})
