import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Machine } from '@sandglass/machines/contract'
import { waitFor } from '@sandglass/machines/testing'
import { EventTypeName, eventTypes, LoggedEvent } from '@sandglass/protocol'
import { sql } from 'kysely'
import pino from 'pino'
import { machinePaths } from '../packages/machines/src/engines/local/machine-paths.ts'
import { findInit } from '../packages/machines/src/engines/local/oci/init-process.ts'
import { noteFailedBackup } from '../packages/server/src/backups/schedule.ts'
import { transact } from '../packages/server/src/db/transact.ts'
import { insertImage } from '../packages/server/src/modules/images/store.ts'
import { startGuest } from '../packages/server/src/modules/mappings/testing/guest.ts'
import { EndpointHealth } from '../packages/server/src/modules/webhooks/delivery/health.ts'
import { retakeLease } from '../packages/server/src/placement/lease-store.ts'
import { declareLostNodes } from '../packages/server/src/placement/loss.ts'
import { failImage } from '../packages/server/src/records/made-images.ts'
import { enterNode } from '../packages/server/src/records/nodes.ts'
import { failDisk } from '../packages/server/src/records/saved-disks.ts'
import { viewerOf } from '../packages/server/src/testing/live-viewer.ts'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { resolveNamesToLoopback } from '../packages/server/src/testing/names.ts'
import { openMachine } from '../packages/server/src/testing/running-sandbox.ts'
import { exampleOf } from '../scripts/events-page.ts'
import { nodeIdIn } from './support/nodes.ts'

resolveNamesToLoopback()
const guest = await startGuest()
const { service, id } = guest
const { db } = service.pool
const sandbox = `~/sandboxes/${id}`

const ok = async (answer: Promise<{ status: number; text: string; body: unknown }>) => {
  const { status, text, body } = await answer
  assert.ok(status === 200 || status === 204, text)
  // biome-ignore lint/suspicious/noExplicitAny: each story knows what its operation answers.
  return body as any
}

/** Reads all events as the operator. */
async function allEvents(): Promise<LoggedEvent[]> {
  const { body } = await service.operator('GET', '/api/operator/events?limit=1000')
  return body.events.map((event: unknown) => LoggedEvent.parse(event))
}

/** Makes what the examples show happen, each with the same names. */
const stories: Readonly<Record<string, () => Promise<void>>> = {
  async sandbox() {
    await ok(service.post(`${sandbox}/extend`, { maxLifeSeconds: 7200 }))
    await ok(service.call('PATCH', sandbox, { body: { name: 'checkout', labels: { team: 'shop' } } }))
    const brief = await makeSandbox(service, { maxLifeSeconds: 30 })
    await waitFor(async () => (await typesOf(brief)).includes('sandbox.expiring'))
    await ok(service.delete(`~/sandboxes/${brief}`))
  },
  async control() {
    await ok(service.post(`${sandbox}/actions/execute`, { action: { type: 'client:user-takeover' } }))
    const ada = await viewerOf(service, sandbox, { name: 'Ada' })
    await ada.takeControl()
    await waitFor(async () => (await typesOf(id)).includes('sandbox.control.taken'))
    ada.say({ kind: 'handBack' })
    await waitFor(async () => (await typesOf(id)).includes('sandbox.control.returned'))
    ada.close()
  },
  async snapshots() {
    const made = await ok(service.post(`${sandbox}/snapshots`, { name: 'before the update' }))
    await ok(service.delete(`${sandbox}/snapshots/${made.id}`))
    const failing = await ok(service.post(`${sandbox}/snapshots`, { name: 'before the update' }))
    const { disk_id: diskId } = await db
      .selectFrom('sandbox_snapshots')
      .select('disk_id')
      .where('id', '=', failing.id)
      .executeTakeFirstOrThrow()
    await sql`UPDATE saved_disks SET state = 'taking' WHERE id = ${diskId}`.execute(db)
    await transact(db, tx => failDisk(tx, diskId ?? '', 'The machine could not be saved.'))
  },
  async images() {
    const made = await ok(service.post('~/machine-images', { sandboxId: id, name: 'tools' }))
    await ok(service.delete(`~/machine-images/${made.id}`))
    const madeByNode = await nodeIdIn(service.folder)
    await transact(db, async tx => {
      const image = {
        orgId: service.orgId,
        name: 'broken',
        description: null,
        shapeName: 'small',
        createdBy: '',
      }
      await failImage(
        tx,
        await insertImage(tx, { ...image, from: { madeByNode, kind: 'build' } }),
        'The step "false" failed.',
      )
    })
  },
  async shells() {
    await ok(service.post(`${sandbox}/shell`, { command: 'true' }))
    await waitFor(async () => (await typesOf(id)).includes('shell.exited'))
  },
  async mappings() {
    await guest.serve(3000)
    const { domain, accessToken } = await guest.map('127.0.0.1:3000')
    const headers = { 'x-gateway-access-token': accessToken }
    assert.equal((await fetch(`http://${domain}/`, { headers })).status, 200)
    await waitFor(async () => (await typesOf(id)).includes('port.opened'))
    await ok(service.delete(`${sandbox}/mappings/127.0.0.1:3000`))
  },
  async keys() {
    const made = await ok(service.post('~/api-keys', { name: 'ci' }))
    await ok(service.call('PATCH', `~/api-keys/${made.id}`, { body: { role: 'viewer' } }))
    await ok(service.post(`~/api-keys/${made.id}/rotate`))
    await ok(service.delete(`~/api-keys/${made.id}`))
  },
  async mcpServers() {
    const made = await ok(service.post('~/mcp-servers', { name: 'desktop', sandboxShape: 'small' }))
    await ok(service.post(`~/mcp-servers/${made.id}/sandbox`, { sandboxId: id }))
    await ok(service.post(`~/mcp-servers/${made.id}/sandbox`, { sandboxId: null }))
    await ok(service.delete(`~/mcp-servers/${made.id}`))
  },
  async volumes() {
    const made = await ok(service.post('~/volumes', { name: 'models', sizeMiB: 64 }))
    await ok(service.delete(`~/volumes/${made.id}`))
  },
  async webhooks() {
    const url = 'https://hooks.example.com/sandglass'
    const made = await ok(service.post('~/webhooks', { url, types: ['webhook.test'] }))
    const error = 'The endpoint answered 410.'
    const attempt = { at: '', durationMs: 0, status: 410, error, contentType: null, body: '' }
    const health = new EndpointHealth(db, { now: Date.now }, made.id)
    await health.disable(health.reasonToDisable({ attempt }) ?? assert.fail(), error)
  },
  async backups() {
    const problem = 'The folder /srv/backups of the backups cannot be used: no space is left on it.'
    await noteFailedBackup(db, await nodeIdIn(service.folder), problem)
  },
  async nodes() {
    const other = { id: crypto.randomUUID(), version: '1', url: 'http://localhost:1', leaseSeconds: 30 }
    const nodeId = await nodeIdIn(service.folder)
    await transact(db, tx => enterNode(tx, other))
    await ok(service.operator('POST', `/api/operator/nodes/${other.id}/drain`))
    await ok(service.operator('POST', `/api/operator/nodes/${other.id}/undrain`))
    await sql`UPDATE nodes SET leased_since = leased_since - interval '1 hour'`.execute(db)
    await sql`UPDATE nodes SET lease_until = now() - interval '1 second' WHERE id = ${other.id}`.execute(db)
    await waitFor(async () => {
      const heir = { nodeId, clusters: [], renew: () => assert.fail('it takes nothing over') }
      await declareLostNodes(db, { nodeId, leaseSeconds: 30 }, heir, pino({ level: 'silent' }))
      return (await typesOf(other.id)).includes('node.lost')
    })
    await retakeLease(db, other.id, 30)
    await ok(service.operator('POST', `/api/operator/nodes/${other.id}/drain`))
    await ok(service.operator('DELETE', `/api/operator/nodes/${other.id}`))
  },
}

async function typesOf(subject: string): Promise<string[]> {
  return (await allEvents()).filter(event => event.subject === subject).map(({ type }) => type)
}

for (const [name, story] of Object.entries(stories)) test(`what happens to ${name} is in the log`, story)

test('every type of event has happened as its example in docs/events.md says, and fits its schema', async () => {
  const events = await allEvents()
  for (const type of EventTypeName.options) {
    const happened = events.filter(event => event.type === type)
    for (const { data } of happened) assert.deepEqual(eventTypes[type].data.parse(data), data, type)
    const example = comparable(exampleOf(type))
    assert.ok(
      happened.some(event => isEqual(comparable(event), example)),
      `${type}: none of ${JSON.stringify(happened.map(comparable))} is ${JSON.stringify(example)}`,
    )
  }
})

test('the log contains no secret', async () => {
  const { body } = await service.post('~/api-keys', { name: 'secret' })
  const text = JSON.stringify(await allEvents())
  assert.ok(text.includes(body.id))
  assert.ok(!text.includes(body.apiKey))
})

/** Creates a sandbox, does something to its machine, and waits for the event that says why it has ended. */
async function endsWith(end: (machine: Machine, initPid: number) => Promise<void>): Promise<unknown> {
  const doomed = await makeSandbox(service)
  const { machineId } = await db
    .selectFrom('sandboxes')
    .select('machine_id as machineId')
    .where('id', '=', doomed)
    .executeTakeFirstOrThrow()
  const init = await findInit(machinePaths(guest.machines.engine.settings, machineId ?? ''))
  const machine = await openMachine(guest.machines, doomed)
  await end(machine, init?.pid ?? assert.fail())
  machine.close()
  let last: LoggedEvent | undefined
  await waitFor(async () => {
    const events = (await allEvents()).filter(event => event.subject === doomed)
    last = events.find(({ data }) => data['from'] === 'RUNNING')
    return last !== undefined
  })
  await ok(service.delete(`~/sandboxes/${doomed}`))
  return [last?.data['reason'], last?.reason]
}

test('a machine that ends by itself says why: shut down, killed, or out of memory', async () => {
  const shutDown = await endsWith(async machine => {
    await machine.exec({ executable: 'sudo', args: ['sh', '-c', 'kill -TERM 1'] }).catch(() => {})
  })
  assert.deepEqual(shutDown, ['stopped', 'the machine was shut down from inside'])
  const killed = await endsWith(async (_machine, pid) => void process.kill(pid, 'SIGKILL'))
  assert.deepEqual(killed, ['killed', 'the first process of the machine ended'])
  const full = await endsWith(async (machine, pid) => {
    const hog = await machine.exec({ executable: 'tail', args: ['/dev/zero'] })
    await hog.exited.catch(() => {})
    process.kill(pid, 'SIGKILL')
  })
  assert.deepEqual(full, ['out-of-memory', 'the machine ran out of memory and its first process was killed'])
})

/** Returns an event without what differs each time: ids, times and the host. */
function comparable(event: LoggedEvent): unknown {
  const text = JSON.stringify({ ...event, id: '', subject: '' })
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'an id')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')
    .replaceAll(/"(hostname|version|prefix)":"[^"]*"/g, '"$1":"any"')
  return JSON.parse(text)
}

function isEqual(a: unknown, b: unknown): boolean {
  try {
    assert.deepEqual(a, b)
    return true
  } catch {
    return false
  }
}
