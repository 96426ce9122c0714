import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CommandDefinition } from '../../packages/cli/src/command-definition.ts'
import { loadCommands } from '../../packages/cli/src/program.ts'
import { CliUser } from '../support/cli-user.ts'

const person = await CliUser.create()

function leavesOf(
  definition: CommandDefinition,
  before: readonly string[] = [],
): [string, CommandDefinition][] {
  const path = [...before, definition.name]
  const parts = (definition.commands ?? []).flatMap(part => leavesOf(part, path))
  return definition.run ? [[path.join(' '), definition], ...parts] : parts
}

test('every command has an example that begins with its own words', async () => {
  for (const [path, { examples = [], isHidden }] of (await loadCommands()).flatMap(one => leavesOf(one))) {
    if (isHidden) continue
    assert.ok(examples.length > 0, path)
    assert.ok(
      examples.some(({ command }) => command.includes(`sandglass ${path}`)),
      path,
    )
  }
})

test('what is wrong with a command line is said with what to do, and ends with 2', async () => {
  const cases: [string[], RegExp][] = [
    [['sandbx'], /Unknown command 'sandbx'\nDid you mean sandbox\?/],
    [['sandbox', 'lst'], /Did you mean one of list, ls\?/],
    [['sandbox', 'list', '--lable', 'a=b'], /Unknown option '--lable'\nDid you mean --label\?/],
    [['sandbox', 'show'], /Missing required argument 'sandbox'/],
    [['sandbox', 'list', '-o', 'xml'], /Allowed choices are table, json, name/],
    [['sandbox', 'create', '--life', 'long'], /"long" is not a time\.\nWrite it as 90s, 10m, 2h or 1d\./],
    [['sandbox', 'create', '--on-idle', 'pause'], /--on-idle needs --idle/],
    [['sandbox', 'create', '--shape', 'a', '--image', 'b'], /cannot be given together/],
    [['click', 'demo', 'left', '10'], /"left" is not a place on a screen/],
    [['act', 'demo', 'click'], /The actions are not valid JSON/],
  ]
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await person.run(...args)
    assert.equal(code, 2, `${args.join(' ')}: ${stderr}`)
    assert.equal(stdout, '')
    assert.match(stderr, message)
    assert.doesNotMatch(stderr, / {4}at /, 'no stack')
  }
})

test('help goes to standard output, also with nothing at all, and for a noun without a verb it is an error', async () => {
  for (const args of [[], ['--help'], ['sandbox', '--help'], ['sandbox', 'create', '--help']]) {
    const { code, stdout, stderr } = await person.run(...args)
    assert.equal(code, 0)
    assert.match(stdout, /Usage: sandglass/)
    assert.equal(stderr, '')
  }
  const { code, stderr } = await person.run('sandbox')
  assert.equal(code, 2)
  assert.match(stderr, /Usage: sandglass sandbox/)
  assert.match((await person.run('--version')).stdout, /^\d+\.\d+\.\d+\n$/)
})

test('without a service, the message says how to get one, and a stack is shown only for debugging', async () => {
  const unknown = await person.run('sandbox', 'list')
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /Run `sandglass login`, or `sandglass up` in a checkout/)
  const env = { SANDGLASS_URL: 'http://127.0.0.1:2', SANDGLASS_ORG: 'x', SANDGLASS_API_KEY: 'y' }
  const silent = await person.bash('sandglass shapes', { env })
  assert.equal(silent.code, 1)
  assert.match(silent.stderr, /Nothing answers at http:\/\/127\.0\.0\.1:2/)
  assert.doesNotMatch(silent.stderr, / {4}at /)
  const debugged = await person.bash('sandglass shapes', { env: { ...env, SANDGLASS_DEBUG: '1' } })
  assert.match(debugged.stderr, / {4}at /)
})

test('up says what to do outside a checkout', async () => {
  const { code, stderr } = await person.run('up')
  assert.equal(code, 1)
  assert.match(stderr, /not in a checkout.*\nClone the repository/)
})

test('a reader that has seen enough is no error', async () => {
  const { code, stderr } = await person.bash('set -o pipefail; sandglass --help | head -n 1')
  assert.equal(stderr, '')
  assert.equal(code, 0)
})

test('colours are for terminals whose owner wants them', async () => {
  const shown = async (env: Record<string, string>) => {
    const terminal = person.terminal('sandglass whoami', { env })
    assert.equal(await terminal.exited, 1)
    return terminal.shown
  }
  assert.ok((await shown({})).includes('\u001b[31merror:'))
  assert.ok(!(await shown({ NO_COLOR: '1' })).includes('\u001b['))
  assert.ok(!(await person.run('whoami')).stderr.includes('\u001b['))
})
