import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startTestService } from '../../packages/server/src/testing/test-service.ts'
import { CliUser, variablesOf } from '../support/cli-user.ts'

const tested = await startTestService()
const { service } = tested
const { url, orgId, apiKey } = service.credentials

test('login stores a key that works, for this user only, and never shows it', async () => {
  const person = await CliUser.create()
  const config = join(person.home, '.config/sandglass')
  const login = (key: string) =>
    person.bash(`sandglass login --url ${url} --org ${orgId} --api-key-stdin`, { input: `${key}\n` })
  const wrong = await login('sgk_wrong')
  assert.equal(wrong.code, 1)
  assert.match(
    wrong.stderr,
    /does not accept this key.*\nCheck the key and the organization\. Nothing was stored/,
  )
  await assert.rejects(stat(config))

  const right = await login(apiKey)
  assert.equal(right.code, 0, right.stderr)
  assert.match(right.stdout, /Logged in to First organization/)
  assert.equal((await stat(config)).mode & 0o777, 0o700)
  assert.equal((await stat(join(config, 'profiles.json'))).mode & 0o777, 0o600)
  const who = await person.run('whoami')
  assert.match(who.stdout, /from +profile default/)
  assert.match(who.stdout, /role +owner/)
  for (const { stdout, stderr } of [wrong, right, who]) assert.ok(!`${stdout}${stderr}`.includes(apiKey))

  // A stored key goes to the address that it was stored for, and to no other.
  const elsewhere = await person.run('whoami', '--url', 'http://127.0.0.1:2')
  assert.equal(elsewhere.code, 1)
  assert.match(elsewhere.stderr, /There is no API key for http:\/\/127\.0\.0\.1:2/)
})

test('login asks on a terminal and does not show what is typed', async () => {
  const person = await CliUser.create()
  const terminal = person.terminal('sandglass login --profile typed')
  await terminal.shows(/Address of the service:/)
  terminal.type(`${url}\r`)
  await terminal.shows(/Organization id:/)
  terminal.type(`${orgId}\r`)
  await terminal.shows(/API key \(not shown\):/)
  terminal.type(`${apiKey}x\u007f\r`)
  assert.equal(await terminal.exited, 0, terminal.shown)
  assert.ok(!terminal.shown.includes(apiKey))
  const { profiles, current } = JSON.parse(
    await readFile(join(person.home, '.config/sandglass/profiles.json'), 'utf8'),
  )
  assert.deepEqual(profiles, { typed: { url, orgId, apiKey } })
  assert.equal(current, 'typed')
})

test('Ctrl-C at the question for a key ends with 130 and gives the terminal back', async () => {
  const person = await CliUser.create()
  const line = `sandglass login --url ${url} --org ${orgId}; echo "code $?"; stty -a`
  const terminal = person.terminal(line)
  await terminal.shows(/API key \(not shown\):/)
  terminal.type('secret\u0003')
  await terminal.exited
  assert.match(terminal.shown, /code 130/)
  assert.match(terminal.shown, / icanon /)
  assert.match(terminal.shown, / echo /)
  assert.ok(!terminal.shown.includes('secret'))
})

test('a profile is chosen by option, variable or the last login, and logout removes it', async () => {
  const person = await CliUser.create({ XDG_CONFIG_HOME: '/nowhere' })
  const env = { XDG_CONFIG_HOME: join(person.home, 'elsewhere') }
  const viewer = await tested.keyOf('viewer')
  for (const [name, key] of [
    ['boss', apiKey],
    ['guest', viewer],
  ])
    await person.bash(`sandglass login --profile ${name} --url ${url} --org ${orgId} --api-key-stdin`, {
      env,
      input: key ?? '',
    })
  const role = async (line: string, more: Record<string, string> = {}) => {
    const { stdout, stderr } = await person.bash(line, { env: { ...env, ...more } })
    return /role +(.*)/.exec(stdout)?.[1] ?? stderr
  }
  assert.equal(await role('sandglass whoami'), 'viewer')
  assert.equal(await role('sandglass whoami --profile boss'), 'owner')
  assert.equal(await role('sandglass --profile boss whoami'), 'owner')
  assert.equal(await role('sandglass whoami', { SANDGLASS_PROFILE: 'boss' }), 'owner')
  assert.equal(await role('sandglass whoami', variablesOf(service.credentials)), 'owner')
  assert.equal(await role('sandglass whoami --profile guest', variablesOf(service.credentials)), 'viewer')
  assert.match(
    await role('sandglass whoami --profile none'),
    /There is no profile "none".\nThere are: boss, guest\./,
  )
  const refused = await person.bash('sandglass keys list', { env })
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /`sandglass whoami` to see the role of the key/)
  assert.equal((await person.bash('sandglass logout', { env })).stdout, 'Removed profile guest.\n')
  assert.equal(await role('sandglass whoami'), 'owner')
  assert.equal((await person.bash('sandglass logout --all', { env })).code, 0)
  assert.match(await role('sandglass whoami'), /Run `sandglass login`/)
})

test('mcp init prints a configuration without the key, or adds it to the file of the assistant', async () => {
  const person = await CliUser.create(variablesOf(service.credentials))
  const printed = JSON.parse((await person.run('mcp', 'init', 'claude')).stdout)
  assert.deepEqual(printed.mcpServers.sandglass.headers, { 'X-Api-Key': `\${SANDGLASS_API_KEY}` })
  const file = join(person.home, '.cursor/mcp.json')
  await person.bash(`mkdir .cursor && echo '{"mcpServers":{"other":{"url":"x"}}}' > .cursor/mcp.json`)
  const { code, stdout } = await person.run('mcp', 'init', 'cursor', '--write', '--with-key')
  assert.equal(code, 0)
  assert.equal(stdout, 'sandglass is in .cursor/mcp.json.\n')
  const { mcpServers } = JSON.parse(await readFile(file, 'utf8'))
  assert.deepEqual(Object.keys(mcpServers), ['other', 'sandglass'])
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  // What was written is what the service accepts.
  const { url: address, headers } = mcpServers.sandglass
  const answer = await fetch(address, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }),
  })
  assert.equal(answer.status, 200)
  await person.bash('mkdir .vscode && echo "// mine" > .vscode/mcp.json')
  const refused = await person.run('mcp', 'init', 'vscode', '--write')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /not plain JSON, so it was not changed/)
  assert.equal(await readFile(join(person.home, '.vscode/mcp.json'), 'utf8'), '// mine\n')
})

test('what deletes asks on a terminal, and elsewhere needs --yes', async () => {
  const person = await CliUser.create(variablesOf(service.credentials))
  const names = async () =>
    (await person.bash(`sandglass keys list -o json | jq -r '.[].name'`)).stdout.split('\n')
  await person.run('keys', 'create', 'spare')
  const refused = await person.run('keys', 'revoke', 'spare')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /Add --yes to do it/)
  const doubted = person.terminal('sandglass keys revoke spare')
  await doubted.shows(/Revoke spare \(.*\)\? \[y\/N\]/)
  doubted.type('\r')
  assert.equal(await doubted.exited, 1)
  assert.ok((await names()).includes('spare'))
  const sure = person.terminal('sandglass keys revoke spare')
  await sure.shows(/\[y\/N\]/)
  sure.type('y\r')
  assert.equal(await sure.exited, 0)
  assert.ok(!(await names()).includes('spare'))
})

test('doctor checks the connection, and says how to fix it', async () => {
  const person = await CliUser.create(variablesOf(service.credentials))
  const well = await person.run('doctor')
  assert.equal(well.code, 0, well.stdout)
  assert.match(well.stdout, /ok {4}service: .*\nok {4}key: it is for First organization\nok {4}version: /)
  const ill = await person.bash('sandglass doctor', { env: { SANDGLASS_API_KEY: 'sgk_wrong' } })
  assert.equal(ill.code, 1)
  assert.match(ill.stdout, /FAIL {2}key: .*\n {6}fix: store another one/)
  const gone = await person.bash('sandglass doctor', { env: { SANDGLASS_URL: 'http://127.0.0.1:2' } })
  assert.match(
    gone.stdout,
    /FAIL {2}service: http:\/\/127.0.0.1:2 does not answer\n {6}fix: start the service/,
  )
})
