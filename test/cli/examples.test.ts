import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { Sandglass } from '@sandglass/client'
import { installMissing } from '@sandglass/machines/local'
import { freePort, waitFor } from '@sandglass/machines/testing'
import type { CommandDefinition } from '../../packages/cli/src/command-definition.ts'
import { loadCommands } from '../../packages/cli/src/program.ts'
import { installFakeBrowser } from '../../packages/server/src/modules/browsers/testing/fake-browser.ts'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { CliUser, type Ran, variablesOf } from '../support/cli-user.ts'
import { temporaryFolder } from '../support/service-process.ts'

await installMissing([
  { name: 'jq', file: '/usr/bin/jq', why: 'reads JSON in examples' },
  { name: 'adb', file: '/usr/bin/adb', why: 'uses the phone in examples' },
])
const { service } = await startMachineService({
  env: { SANDGLASS_OUTBOUND_PRIVATE: '127.0.0.0/8' },
  hasPhone: true,
})
const { credentials } = service.service
const client = new Sandglass(credentials)
const person = await CliUser.create({ ...variablesOf(credentials), KEY: credentials.apiKey })
const checkout = new URL('../..', import.meta.url).pathname

const receiver = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
cleanup.defer(() => new Promise<void>(resolve => receiver.close(() => resolve())))
const receiverPort = await freePortOf()

async function freePortOf(): Promise<number> {
  await waitFor(() => receiver.listening)
  const address = receiver.address()
  return typeof address === 'object' && address ? address.port : 0
}

interface Found {
  readonly path: string
  readonly line: string
}

function examplesOf(definition: CommandDefinition, before: readonly string[] = []): Found[] {
  const path = [...before, definition.name]
  const own = (definition.examples ?? []).map(({ command }) => ({ path: path.join(' '), line: command }))
  return [...own, ...(definition.commands ?? []).flatMap(part => examplesOf(part, path))]
}

/** What is deleted is needed by others first, and images and volumes are kept until no sandbox uses them. */
const last = ['images delete', 'sandbox delete', 'volumes delete', 'keys revoke', 'webhooks delete', 'logout']

const all = (await loadCommands()).flatMap(one => examplesOf(one))
const examples = [
  ...all.filter(({ path }) => !last.includes(path)),
  ...all.filter(({ path }) => last.includes(path)),
]

/** What stands for something in an example. It is made when the first example needs it. */
const placeholders: Readonly<Record<string, () => Promise<string>>> = {
  ID: () => demo(),
  SHAPE: async () => 'small',
  URL: async () => credentials.url,
  ORG: async () => credentials.orgId,
  WEBHOOK_URL: async () => `http://127.0.0.1:${receiverPort}/hook`,
  IMAGE: async () => {
    const { images } = await client.listMachineImages()
    const ready = images.find(({ status }) => status === 'READY')
    return ready?.id ?? newImage()
  },
  VOLUME: async () => {
    const [volume] = await client.listVolumes()
    return (volume ?? (await client.createVolume({ body: { name: 'kept', sizeMiB: 64 } }))).name
  },
  SNAPSHOT: async () => {
    const sandboxId = await demo()
    const [snapshot] = await client.listSandboxSnapshots({ sandboxId })
    return (snapshot ?? (await client.createSandboxSnapshot({ sandboxId }))).id
  },
  KEY: async () => (await client.createApiKey({ body: { name: 'spare' } })).id,
  WEBHOOK: async () => {
    const [webhook] = await client.listWebhooks()
    const url = await placeholders['WEBHOOK_URL']?.()
    return (webhook ?? (await client.createWebhook({ body: { url: url ?? '' } }))).id
  },
  PHONE: async () => {
    const phones = await client.listSandboxes({ label: 'by=phone' })
    const body = { shapeName: 'phone', labels: { by: 'phone' }, wait: 60 }
    return (phones[0] ?? (await client.createSandbox({ body }))).id
  },
}

/** The sandbox that examples are about. It runs. */
async function demo(): Promise<string> {
  const found = (await client.listSandboxes()).find(({ name }) => name === 'demo')
  const made = found ?? (await client.createSandbox({ body: { name: 'demo', shapeName: 'small' } }))
  if (made.paused || made.hibernated) await client.resumeSandbox({ sandboxId: made.id })
  await waitFor(
    async () => (await client.getSandbox({ sandboxId: made.id, wait: 10 })).sandbox.status === 'RUNNING',
  )
  return made.id
}

async function newImage(): Promise<string> {
  const { id } = await client.createMachineImage({ body: { sandboxId: await demo(), name: 'prepared' } })
  const statusOf = async () =>
    (await client.listMachineImages()).images.find(image => image.id === id)?.status
  await waitFor(async () => (await statusOf()) === 'READY')
  return id
}

async function filledIn(line: string): Promise<string> {
  let text = line
  for (const [name, make] of Object.entries(placeholders)) {
    const pattern = new RegExp(`(?<![A-Z_$\\w])${name}(?![A-Z_\\w])`, 'g')
    if (pattern.test(text)) text = text.replaceAll(pattern, await make())
  }
  return text
}

/** Examples that wait for a person, or that belong in another folder. */
const special: Readonly<Record<string, (line: string) => Promise<Ran>>> = {
  'sandglass login --profile work --url URL --org ORG': async line => {
    const terminal = person.terminal(line)
    await terminal.shows(/API key/)
    terminal.type(`${credentials.apiKey}\r`)
    return { code: await terminal.exited, stdout: terminal.shown, stderr: '' }
  },
  'sandglass port-forward ID 0:5000 9222': async line => {
    const terminal = person.terminal(line)
    await terminal.shows(/leads to port 5000[\s\S]*127\.0\.0\.1:9222 leads to port 9222[\s\S]*Ctrl-C/)
    terminal.type('\x03')
    assert.equal(await terminal.exited, 130)
    return { code: 0, stdout: terminal.shown, stderr: '' }
  },
  'sandglass browser ID --for 10m': async line => {
    await installFakeBrowser(service, `~/sandboxes/${await demo()}`)
    return person.bash(line)
  },
  'sandglass up --detach': async line => {
    const env = {
      SANDGLASS_DATA: await temporaryFolder(),
      SANDGLASS_PORT: '0',
      SANDGLASS_MACHINES: 'none',
      SANDGLASS_LIVE_UDP_PORT: 'none',
    }
    const ran = await person.bash(line, { cwd: checkout, env })
    const [, group] = /kill -- -(\d+)/.exec(ran.stderr) ?? []
    if (!group) return ran
    try {
      assert.equal((await fetch(`${ran.stdout.trim()}/healthz`)).status, 200)
      const again = await person.bash('sandglass up', { cwd: checkout, env })
      assert.match(again.stderr, /is running at .* already/)
    } finally {
      process.kill(-Number(group), 'SIGTERM')
      await waitFor(() => !isGroup(Number(group)))
    }
    return ran
  },
  'sandglass cluster help': line => person.bash(line, { cwd: checkout }),
  'sandglass install-service --print': line => person.bash(line, { cwd: checkout }),
  'sandglass backup -- --help': line => person.bash(line, { cwd: checkout }),
  'sandglass restore -- --help': line => person.bash(line, { cwd: checkout }),
  'sandglass upgrade-database -- --help': line => person.bash(line, { cwd: checkout }),
  'sandglass doctor': async line =>
    person.bash(line, {
      cwd: checkout,
      env: {
        SANDGLASS_DATA: await temporaryFolder(),
        SANDGLASS_PORT: String(await freePort()),
        SANDGLASS_UPLINK: 'none',
        // Other tests may be using the disk too.
        SANDGLASS_DISK_OVERCOMMIT: '10',
      },
    }),
}

function isGroup(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch {
    return false
  }
}

/** What has to be true after an example. */
const effects: Readonly<Record<string, (ran: Ran) => Promise<void>>> = {
  'sandglass browser ID --for 10m': async ({ stdout }) => {
    const response = await fetch(`${stdout.trim().replace(/^ws/, 'http')}/json/version`)
    assert.equal(response.status, 200)
  },
  'sandglass sign-in': async ({ stdout }) => {
    const [, code = ''] = /^\S+\/sign-in#code=(\S+)\n$/.exec(stdout) ?? []
    assert.equal((await client.createSession({ body: { code } })).role, 'owner')
  },
  'sandglass cluster help': async ({ stdout }) => assert.match(stdout, /^npm run cluster -- init/),
  'sandglass install-service --print': async ({ stdout }) => {
    assert.match(stdout, /^# Written by `sandglass install-service`/)
    assert.ok(stdout.includes(`WorkingDirectory=${checkout.replace(/\/$/, '')}\n`))
  },
  'sandglass backup -- --help': async ({ stdout }) => assert.match(stdout, /^npm run backup /),
  'sandglass restore -- --help': async ({ stdout }) => assert.match(stdout, /^npm run restore /),
  'sandglass upgrade-database -- --help': async ({ stdout }) =>
    assert.match(stdout, /^npm run upgrade-database /),
  'sandglass sandbox create --name demo': async ({ stdout }) => {
    const { sandbox } = await client.getSandbox({ sandboxId: stdout.trim() })
    assert.equal(sandbox.status, 'RUNNING')
    assert.equal(sandbox.name, 'demo')
  },
  'sandglass sandbox create --shape SHAPE --label team=web --life 2h --idle 10m --on-idle pause': async ({
    stdout,
  }) => {
    const { sandbox } = await client.getSandbox({ sandboxId: stdout.trim() })
    assert.deepEqual(sandbox.labels, { team: 'web' })
    assert.equal(sandbox.lifecycle?.idleSeconds, 600)
    assert.equal(sandbox.lifecycle?.onIdle, 'pause')
    await client.deleteSandbox({ sandboxId: sandbox.id })
  },
  'sandglass sandbox create --image IMAGE --volume VOLUME:/data --env LANG=C.UTF-8 --egress none': async ({
    stdout,
  }) => {
    const [volume] = await client.listVolumes()
    assert.deepEqual(volume?.sandboxes, [{ sandboxId: stdout.trim(), path: '/data', readOnly: false }])
    await client.deleteSandbox({ sandboxId: stdout.trim() })
  },
  'sandglass sandbox show ID -o json | jq -r .sandbox.status': async ({ stdout }) =>
    assert.equal(stdout, 'RUNNING\n'),
  'sandglass sandbox extend ID 2h': async () => {
    const { sandbox } = await client.getSandbox({ sandboxId: await demo() })
    assert.ok(Date.parse(sandbox.expiresAt) > Date.now() + 110 * 60_000)
  },
  'sandglass sandbox pause ID': async () => assert.equal((await demoNow())?.paused, true),
  'sandglass sandbox resume ID': async () => assert.equal((await demoNow())?.status, 'RUNNING'),
  'sandglass sandbox hibernate ID': async () => assert.equal((await demoNow())?.hibernated, true),
  'sandglass sandbox fork ID --count 2 --name try': async ({ stdout }) => {
    const forks = (await client.listSandboxes()).filter(({ name }) => name === 'try')
    assert.deepEqual(forks.map(({ id }) => id).sort(), stdout.trim().split('\n').sort())
    for (const { id } of forks) await client.deleteSandbox({ sandboxId: id })
  },
  'sandglass images export IMAGE image.tar': async () =>
    assert.ok((await stat(join(person.home, 'image.tar'))).size > 1000),
  'sandglass images import image.tar imported': async ({ stdout }) => {
    const { images } = await client.listMachineImages()
    assert.ok(images.some(({ id, name }) => id === stdout.trim() && name === 'imported'))
  },
  'sandglass click ID 640 360': async () => {
    const { cursorPosition } = await client.previewSandbox({ sandboxId: await demo(), body: {} })
    assert.equal(cursorPosition?.x, 640)
    assert.equal(cursorPosition?.y, 360)
  },
  'sandglass keys create ci --role member --expires 30d': async ({ stdout }) => {
    const stats = await new Sandglass({ ...credentials, apiKey: stdout.trim() }).getStats()
    assert.ok(stats.projects > 0)
  },
  'sandglass webhooks test WEBHOOK': async () => {
    const webhookId = (await placeholders['WEBHOOK']?.()) ?? ''
    await waitFor(async () => {
      const { deliveries } = await client.listWebhookDeliveries({ webhookId })
      return deliveries.some(({ type, status }) => type === 'webhook.test' && status === 'delivered')
    })
  },
  'sandglass mcp init vscode --write': async () => {
    const { servers } = JSON.parse(await readFile(join(person.home, '.vscode/mcp.json'), 'utf8'))
    assert.match(servers.sandglass.url, /\/api\/mcp\//)
  },
  'sandglass sandbox delete ID --yes': async () => assert.equal(await demoNow(), undefined),
}

async function demoNow() {
  return (await client.listSandboxes()).find(({ name }) => name === 'demo')
}

test('effects and special cases are of examples that exist', () => {
  const lines = all.map(({ line }) => line)
  for (const line of [...Object.keys(effects), ...Object.keys(special)]) assert.ok(lines.includes(line), line)
})

for (const { path, line } of examples)
  test(`the example of ${path} works: ${line}`, async () => {
    const filled = await filledIn(line)
    const ran = await (special[line] ?? (text => person.bash(text)))(filled)
    assert.equal(ran.code, 0, `${filled}\n${ran.stdout}${ran.stderr}`)
    await effects[line]?.(ran)
  })
