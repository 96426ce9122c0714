import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

const root = new URL('..', import.meta.url).pathname

/** Names that belong into a guest profile: shells, package tools, browsers, and what only Linux has. */
const guestNames =
  /\b(bash|dash|apt|apt-get|dpkg|xdg-open|chromium|firefox|dillo|powershell|winget)\b|\/proc\/|executable: ['"`](?!no-such)/i

/** The description of a tool is listed before there is a machine, so it describes the desktops of the catalogue. */
const describesDesktops = ['packages/server/src/modules/mcp/tools/shell.ts']

/** What the conformance suite runs in, and expects of, the systems that it knows. */
const ofOneSystem = ['posix-programs.ts', 'expectations.ts'].map(
  name => `packages/machines/src/contract/conformance/${name}`,
)

async function sources(...patterns: string[]): Promise<string[]> {
  const found: string[] = []
  for await (const file of glob(patterns, { cwd: root }))
    if (!file.endsWith('.test.ts') && !file.includes('/testing/')) found.push(file)
  return found.filter(file => ![...describesDesktops, ...ofOneSystem].includes(file))
}

test('the control plane and the conformance suite name no program of a guest; they ask its profile', async () => {
  const files = await sources(
    'packages/server/src/modules/**/*.ts',
    'packages/machines/src/contract/conformance/*.ts',
  )
  assert.ok(files.length > 100)
  for (const file of files) {
    const [name] = guestNames.exec(await readFile(join(root, file), 'utf8')) ?? []
    assert.equal(name, undefined, `${file} contains ${name}`)
  }
})
