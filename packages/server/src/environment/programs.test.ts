import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

const source = join(import.meta.dirname, '..')

/** What the host starts gets an environment that is complete already. */
const startedByTheHost = ['front.ts']

test('every program of the service reads the configuration file and the files of secrets', async () => {
  const programs: string[] = []
  for await (const name of glob('**/*.ts', { cwd: source })) {
    if (name.endsWith('.test.ts') || startedByTheHost.includes(name)) continue
    const text = await readFile(join(source, name), 'utf8')
    const skipsFiles = /(readSettings|setUpEngines)\(process\.env|readTable\(\w+, process\.env/.test(text)
    assert.ok(!skipsFiles, `${name} must call readEnvironment`)
    if (text.includes('readEnvironment(process.env)')) programs.push(name)
  }
  assert.ok(programs.includes('start.ts'), 'what npm start does')
})
