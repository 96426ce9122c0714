import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sandglass } from '@sandglass/client'
import { installMissing } from '@sandglass/machines/local'
import { waitFor } from '@sandglass/machines/testing'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { CliUser, variablesOf } from '../support/cli-user.ts'

await installMissing([
  { name: 'jq', file: '/usr/bin/jq', why: 'reads JSON' },
  { name: 'zsh', file: '/usr/bin/zsh', why: 'loads completions' },
  { name: 'fish', file: '/usr/bin/fish', why: 'loads completions' },
])
const { service } = await startMachineService()
const { credentials } = service.service
const client = new Sandglass(credentials)
const person = await CliUser.create(variablesOf(credentials))

async function create(name: string): Promise<string> {
  return (await client.createSandbox({ body: { shapeName: 'small', name }, wait: 60 })).id
}

async function namesLeft(): Promise<string[]> {
  return (await client.listSandboxes()).map(({ name }) => name)
}

test('a sandbox is found by name or the beginning of its id, and an ambiguous name lists the ids', async () => {
  const first = await create('twin')
  const second = await create('twin')
  const shown = await person.run('sandbox', 'show', first.slice(0, 13), '-o', 'name')
  assert.equal(shown.stdout, `${first}\n`)
  const ambiguous = await person.run('sandbox', 'show', 'twin')
  assert.equal(ambiguous.code, 1)
  assert.match(ambiguous.stderr, /"twin" can be one of 2 sandboxes: .*\nGive more of the id/)
  assert.ok(ambiguous.stderr.includes(first) && ambiguous.stderr.includes(second))
  const unknown = await person.run('sandbox', 'show', 'nobody')
  assert.match(unknown.stderr, /no sandbox with the name or id "nobody".\n`sandglass sandbox list` shows/)
  const gone = await person.run('sandbox', 'show', '00000000-0000-4000-8000-000000000000')
  assert.equal(gone.code, 1)
  assert.match(gone.stderr, /sandbox\.NOT_FOUND, request /)

  const { stdout } = await person.bash(
    'sandglass sandbox list -o name | xargs sandglass sandbox delete --yes',
  )
  assert.equal(stdout.split('\n').filter(line => line.startsWith('Deleted ')).length, 2)
  assert.deepEqual(await namesLeft(), [])
})

test('--watch shows a list again when something happens, on a terminal in place, and ends with Ctrl-C', async () => {
  const terminal = person.terminal('sandglass sandbox list --watch; echo "code $?"', { columns: 120 })
  await terminal.shows(/There are no sandboxes/)
  const piped = person.start('bash', ['-c', 'sandglass sandbox list --watch -o json'])
  let lines = ''
  piped.stdout?.setEncoding('utf8').on('data', text => {
    lines += text
  })
  await waitFor(() => lines.startsWith('[]\n'))
  const sandboxId = await create('watched')
  await terminal.shows(/watched +\S*running/)
  await client.pauseSandbox({ sandboxId })
  await terminal.shows(/watched +\S*paused/)
  await client.deleteSandbox({ sandboxId })
  await terminal.shows(/paused[\s\S]*There are no sandboxes/)
  assert.ok(terminal.shown.includes('\u001b[2J'))
  terminal.type('\u0003')
  await terminal.shows(/code 130/)
  await waitFor(() => lines.includes('"paused":true') && lines.endsWith('[]\n'))
  for (const line of lines.trim().split('\n')) assert.ok(Array.isArray(JSON.parse(line)))
  piped.kill('SIGTERM')
})

test('a create that is interrupted leaves no sandbox', async () => {
  const terminal = person.terminal('sandglass sandbox create --name unwanted; echo "code $?"')
  await waitFor(async () => (await namesLeft()).includes('unwanted'))
  terminal.type('\u0003')
  await terminal.shows(/code 130/)
  assert.match(terminal.shown, /Deleted \S+ again\./)
  assert.ok(!(await namesLeft()).includes('unwanted'))
})

test('a table fits the terminal, and a name cannot move its cursor', async () => {
  const sandboxId = await create('界'.repeat(60))
  const terminal = person.terminal('sandglass sandbox list', { columns: 70, env: { NO_COLOR: '1' } })
  assert.equal(await terminal.exited, 0)
  const [titles = '', row = ''] = terminal.shown.split('\r\n')
  assert.ok(!titles.includes('CREATED'))
  assert.match(row, /界…/)
  assert.ok([...row].reduce((sum, one) => sum + (one === '界' ? 2 : 1), 0) <= 70, row)
  await client.deleteSandbox({ sandboxId })
})

test('bash, zsh and fish complete commands, options, choices and sandboxes', async () => {
  const sandboxId = await create('finished')
  const bash = async (...words: string[]) => {
    const list = words.map(word => `'${word}'`).join(' ')
    const { stdout, stderr } = await person.bash(
      `source <(sandglass completion bash); COMP_WORDS=(sandglass ${list}); COMP_CWORD=${words.length}; _sandglass; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p sandglass`,
    )
    assert.equal(stderr, '')
    return stdout.trim().split('\n').slice(0, -1)
  }
  assert.deepEqual(await bash('sandbox', 'sh'), ['show'])
  assert.deepEqual(await bash('sandbox', 'show', 'fin'), ['finished'])
  assert.deepEqual(await bash('sandbox', 'show', sandboxId.slice(0, 8)), [sandboxId])
  assert.deepEqual(await bash('sandbox', 'create', '--shape', ''), ['small'])
  assert.deepEqual(await bash('sandbox', 'list', '-o', 'j'), ['json'])
  assert.ok((await bash('sandbox', 'list', '--la')).includes('--label'))
  assert.ok(!(await bash('')).includes('__complete'))

  const fish = await person.bash(
    `fish -c "source (sandglass completion fish | psub); complete -C 'sandglass sandbox show fin'"`,
  )
  assert.equal(fish.stdout.split('\t')[0], 'finished', fish.stderr)
  const zsh = await person.bash(
    `zsh -fc 'autoload -U compinit; compinit -D; source <(sandglass completion zsh); _describe() { print -rl -- "\${found[@]}" }; words=(sandglass sandbox show fin); CURRENT=4; _sandglass'`,
  )
  assert.equal(zsh.stdout, `finished:${sandboxId}\n`, zsh.stderr)
  await client.deleteSandbox({ sandboxId })
  const silent = await person.bash('sandglass __complete -- sandbox show ""', {
    env: { SANDGLASS_API_KEY: 'wrong' },
  })
  assert.deepEqual(silent, { code: 0, stdout: '', stderr: '' })
})
