import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { waitFor } from '@sandglass/machines/testing'
import type { Answer, TestService } from '../../packages/server/src/testing/test-service.ts'

/** The headers that identify a caller. */
export type Credential = Readonly<Record<string, string>>

/** An organization that has one of everything, and credentials of every kind. */
export interface Tenant {
  readonly orgId: string
  /** A value for each parameter that a path can have, which names something of this tenant. */
  readonly ids: Readonly<Record<string, string>>
  readonly credentials: Readonly<Record<'owner' | 'admin' | 'member' | 'viewer' | 'trial', Credential>>
  /** A key of the owner role that was revoked. */
  readonly revoked: Credential
  /** The code of an invitation. */
  readonly code: string
  call(method: string, path: string, body?: unknown): Promise<Answer>
}

/** Creates one of everything in an organization, in a real machine. */
export async function furnish(
  service: TestService,
  { orgId, apiKey }: { orgId: string; apiKey: string },
): Promise<Tenant> {
  const call = (method: string, path: string, body?: unknown) =>
    service.call(method, `/api/orgs/${orgId}${path}`, { key: apiKey, body })
  const make = async (path: string, body: unknown, method = 'POST') => {
    const answer = await call(method, path, body)
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
    return answer.body
  }
  const keyOf = async (role: string) => make('/api-keys', { name: `key of ${orgId}`, role })
  const project = await make('/projects', { name: `project of ${orgId}` })
  const sandbox = await make('/sandboxes', { shapeName: 'small', name: `sandbox of ${orgId}` })
  const inside = `/sandboxes/${sandbox.id}`
  await waitFor(async () => (await call('GET', `${inside}/status`)).body.status === 'RUNNING')
  const shell = await make(`${inside}/shell`, { command: 'cat', useTty: true })
  await make(`${inside}/actions/execute`, { action: { type: 'keyboard:type', content: `text of ${orgId}` } })
  const write = await service.call('PUT', `/api/orgs/${orgId}${inside}/files/content?path=notes.txt`, {
    key: apiKey,
    body: `secret of ${orgId}`,
    headers: { 'content-type': 'application/octet-stream' },
  })
  assert.equal(write.status, 200, write.text)
  const server = await make('/mcp-servers', { name: `server of ${orgId}`, sandboxShape: 'small' })
  await make(`${inside}/mappings`, { targetEndpoint: '127.0.0.1:3000' })
  const invitation = await make(`${inside}/live/invitations`, {})
  const image = await make('/machine-images', { sandboxId: sandbox.id, name: `image of ${orgId}` })
  const volume = await make('/volumes', { name: `volume of ${orgId}`, sizeMiB: 64 })
  const snapshot = await make(`${inside}/snapshots`, { name: `snapshot of ${orgId}` })
  // Nothing listens there, and no event has this type.
  const webhook = await make('/webhooks', { url: 'http://127.0.0.1:9/', types: ['webhook.test'] })
  const [admin, member, viewer] = [await keyOf('admin'), await keyOf('member'), await keyOf('viewer')]
  const trial = await make('/trial-tokens', { shapeNames: ['small'] })
  const session = await service.post('/api/sessions', { apiKey: viewer.apiKey }, { key: null })
  assert.equal(session.status, 200, session.text)
  const revoked = await keyOf('owner')
  assert.equal((await call('DELETE', `/api-keys/${revoked.id}`)).status, 200)
  return {
    orgId,
    ids: {
      orgId,
      sandboxId: sandbox.id,
      shellId: shell.sessionId,
      projectId: project.id,
      mcpServerId: server.id,
      targetEndpoint: '127.0.0.1:3000',
      invitationId: invitation.id,
      code: invitation.code,
      imageId: image.id,
      snapshotId: snapshot.id,
      volumeId: volume.id,
      keyId: viewer.id,
      sessionId: session.body.session.id,
      tokenId: trial.id,
      webhookId: webhook.id,
      deliveryId: await makeDelivery(service, webhook.id),
      operationId: await makeInstallation(service, sandbox.id),
      // The following are not a tenant's own, but of the operator or of everybody.
      appId: 'absent',
      type: 'seed',
      port: '3000',
      organizationId: orgId,
      nodeId: (await service.operator('GET', '/api/operator/nodes')).body[0].id,
      planName: 'unlimited',
      shapeName: 'small',
      signInCode: 'guessed',
      // Nothing listens there.
      webhookUrl: 'http://127.0.0.1:9/',
    },
    credentials: {
      owner: { 'x-api-key': apiKey },
      admin: { 'x-api-key': admin.apiKey },
      member: { 'x-api-key': member.apiKey },
      viewer: { 'x-api-key': viewer.apiKey },
      trial: { 'x-trial-session-token': trial.trialToken },
    },
    revoked: { 'x-api-key': revoked.apiKey },
    code: invitation.code,
    call,
  }
}

/** Adds the row of an installation that is done, because a real one would need packages. */
async function makeInstallation({ pool: { db } }: TestService, sandboxId: string): Promise<string> {
  const id = randomUUID()
  const { node_id: nodeId } = await db
    .selectFrom('sandboxes')
    .select('node_id')
    .where('id', '=', sandboxId)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('application_operations')
    .values({ id, sandbox_id: sandboxId, node_id: nodeId ?? '', app_id: 'editor', status: 'SUCCEEDED' })
    .execute()
  return id
}

/** Adds the row of a message that was sent, because none is sent here. */
async function makeDelivery({ pool: { db } }: TestService, webhookId: string): Promise<string> {
  const { id } = await db
    .insertInto('webhook_deliveries')
    .values({
      webhook_id: webhookId,
      message_id: `message of ${webhookId}`,
      type: 'webhook.test',
      subject: webhookId,
      body: '{}',
      status: 'delivered',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
