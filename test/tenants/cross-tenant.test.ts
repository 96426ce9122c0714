import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorsOf, type Operation, Role, roleAllows } from '@sandglass/protocol'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { askForSocket } from '../support/ask-for-socket.ts'
import { operations, type PreparedRequest, requestsFor } from './requests.ts'
import { stateOf } from './state.ts'
import { type Credential, furnish, type Tenant } from './tenant.ts'

const machines = await startMachineService({
  env: { SANDGLASS_FAILURE_LIMIT: '1000000', SANDGLASS_OUTBOUND_PRIVATE: '127.0.0.1/32' },
})
const { service } = machines
const { apiKey, operatorKey } = service.service.credentials
const [victim, stranger] = [
  await furnish(service, { orgId: service.orgId, apiKey }),
  await furnish(service, await service.otherOrganization()),
]
const { body: document } = await service.get('/openapi.json', { key: null })
const isServed = ({ path, method }: Operation) => document.paths[path]?.[method.toLowerCase()] !== undefined

const nobody: Readonly<Record<string, Credential>> = {
  'no credential': {},
  'a guessed key': { 'x-api-key': `sgk_${'x'.repeat(43)}` },
  "a revoked key of the victim's organization": victim.revoked,
  "a revoked key of the stranger's organization": stranger.revoked,
}

/** Parameters whose values mean the same to everybody. All others name something of one organization. */
const shared = new Set(['appId', 'type', 'targetEndpoint', 'port'])

/** The stranger's own organization, sandbox and so on, and below each of them something of the victim. */
function smuggledIds({ path }: Operation): Tenant['ids'][] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return names.slice(1).flatMap((name, index) => {
    if (shared.has(name)) return []
    const outer = Object.fromEntries(names.slice(0, index + 1).map(each => [each, stranger.ids[each] ?? '']))
    return [{ ...victim.ids, ...outer }]
  })
}

function isAllowed(role: string, { access }: Operation): boolean {
  if (access.to !== 'organization') return false
  return role === 'trial' ? access.trial === true : roleAllows(Role.parse(role), access.role)
}

function firstOf(operation: Operation, ids: Tenant['ids'], named: Tenant['ids']): PreparedRequest {
  const [first] = requestsFor(operation, ids, named)
  assert.ok(first)
  return first
}

async function send(
  operation: Operation,
  credential: Credential,
  ids: Tenant['ids'],
  { method, path, headers, body } = firstOf(operation, ids, victim.ids),
) {
  const url = service.service.url + path
  const response =
    operation.answers === 'socket'
      ? await askForSocket(url, credential)
      : await fetch(url, {
          method,
          headers: { ...headers, ...credential },
          ...(body !== undefined && { body }),
        })
  const isEndless = response.headers.get('content-type')?.startsWith('text/event-stream')
  // The file of an image is compressed, so that nothing could be found in it, and has hundreds of megabytes.
  if (response.ok && (isEndless || operation.id === 'exportMachineImage')) {
    await response.body?.cancel()
    return { status: response.status, code: undefined, text: '' }
  }
  const text = await response.text()
  if (response.ok) return { status: response.status, code: undefined, text }
  const { code } = JSON.parse(text)
  assert.ok(errorsOf(operation).includes(code), `${operation.id} does not declare ${code}`)
  return { status: response.status, code, text }
}

/** What no response to a stranger may contain: names, contents and secrets of the victim. */
const secrets = [victim.code, ` of ${victim.orgId}`]
const ids = [
  'sandboxId',
  'mcpServerId',
  'projectId',
  'keyId',
  'sessionId',
  'tokenId',
  'invitationId',
  'imageId',
  'snapshotId',
  'volumeId',
].map(name => victim.ids[name] ?? '')

const before = await stateOf(machines, victim)

for (const operation of operations) {
  const { id, access } = operation
  if (!isServed(operation)) {
    test(`${id} is not served to anybody`, async () => {
      const path = operation.path.replace('{orgId}', victim.orgId).replaceAll(/\{\w+\}/g, 'x')
      const { status } = await service.call(operation.method, path)
      assert.ok(status === 404 || status === 405)
    })
    continue
  }

  if (access.to !== 'public')
    test(`${id} refuses callers who are nobody`, async () => {
      for (const [name, credential] of Object.entries(nobody)) {
        const { status, text } = await send(operation, credential, victim.ids)
        assert.equal(status, 401, `${name}: ${text}`)
      }
    })

  if (access.to === 'operator')
    test(`${id} refuses every member of an organization`, async () => {
      for (const { credentials } of [victim, stranger])
        for (const [role, credential] of Object.entries(credentials)) {
          const { status, code } = await send(operation, credential, victim.ids)
          assert.deepEqual([status, code], [403, 'auth.OPERATOR_ONLY'], role)
        }
    })

  if (access.to !== 'organization') continue

  test(`${id} treats another organization as absent, whatever the role of the stranger`, async () => {
    const strangers = { ...stranger.credentials, operator: { 'x-api-key': operatorKey } }
    for (const [role, credential] of Object.entries(strangers)) {
      const { status, code, text } = await send(operation, credential, victim.ids)
      assert.deepEqual([status, code], [404, 'organization.NOT_FOUND'], `${role}: ${text}`)
    }
  })

  test(`${id} does not find what belongs to another organization below one's own`, async () => {
    for (const smuggled of smuggledIds(operation))
      for (const [role, credential] of Object.entries(stranger.credentials)) {
        const { status, code = '', text } = await send(operation, credential, smuggled)
        assert.equal(status, isAllowed(role, operation) ? 404 : 403, `${role}: ${text}`)
        if (status === 404) assert.match(code, /NOT_FOUND$/)
      }
  })

  const naming = requestsNaming(operation)
  if (naming.length > 0)
    test(`${id} does not reach another organization through its body or query`, async () => {
      for (const request of naming) {
        const { status, text } = await send(operation, stranger.credentials.owner, stranger.ids, request)
        if (operation.method !== 'GET') assert.equal(status, 404, text)
        // The audit log of the stranger has the ids that the stranger has tried.
        for (const mark of [...secrets, ...(id === 'listAuditLog' ? [] : ids)])
          assert.ok(!text.includes(mark), text)
      }
    })

  test(`${id} refuses members whose role is too low`, async () => {
    for (const [role, credential] of Object.entries(victim.credentials)) {
      if (isAllowed(role, operation)) continue
      const { status } = await send(operation, credential, victim.ids)
      assert.equal(status, 403, role)
    }
  })
}

test('the MCP endpoint treats the server of another organization as absent', async () => {
  for (const [role, credential] of Object.entries(stranger.credentials)) {
    const response = await fetch(`${service.service.url}/api/mcp/${victim.ids['mcpServerId']}`, {
      method: 'POST',
      headers: {
        ...credential,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    const text = await response.text()
    assert.ok([403, 404].includes(response.status), `${role}: ${response.status} ${text}`)
  }
})

test('nothing of the victim has changed', async () => {
  assert.deepEqual(await stateOf(machines, victim), before)
})

test('every example, the first of which was refused above, succeeds for a caller who may send it', async () => {
  for (const operation of operations.filter(isServed).sort((a, b) => rank(a) - rank(b))) {
    const { access, id } = operation
    const credential = access.to === 'operator' ? { 'x-api-key': operatorKey } : victim.credentials.owner
    for (const request of requestsFor(operation, victim.ids, victim.ids)) {
      const { status, code, text } = await send(operation, credential, victim.ids, request)
      const expected = expectedFailures[id]
      if (expected !== undefined) assert.equal(code, expected, `${id}: ${text}`)
      else assert.ok(status < 300, `${id}: ${status} ${text}`)
    }
  }
})

/** Requests that fail even for a caller who may make them, after what else the test does. */
const expectedFailures: Readonly<Record<string, string>> = {
  importMachineImage: 'image.FILE',
  installSandboxApplication: 'application.NOT_FOUND',
  deleteOrganization: 'organization.NOT_EMPTY',
  deletePlan: 'plan.IN_USE',
  deleteProject: 'project.NOT_EMPTY',
  createSession: 'session.CODE_INVALID',
  // An admin has ended it before.
  endSession: 'session.NOT_FOUND',
  connectSandboxBrowser: 'browser.UNAVAILABLE',
  startSandboxBrowser: 'browser.UNAVAILABLE',
  openSandboxTunnel: 'tunnel.NOT_LISTENING',
  removeMachineImage: 'image.NOT_FOUND',
  removeNode: 'node.IN_USE',
  removeVolume: 'volume.NOT_FOUND',
}

/** Calls what takes something away last, and the things in a sandbox before the sandbox. */
function rank({ id, method, path }: Operation): number {
  // It needs a machine, so it comes before the node is drained.
  if (id === 'exportMachineImage') return -1
  const order = [
    'moveSandboxFile',
    'finishSandboxShell',
    '',
    'restoreSandbox',
    'deleteSandboxSnapshot',
    'pauseSandbox',
    'resumeSandbox',
    'hibernateSandbox',
    'restartSandbox',
  ]
  if (method !== 'DELETE' || order.includes(id)) return order.indexOf(id) + 1
  if (path.includes('{sandboxId}/')) return order.indexOf('') + 1
  return path.startsWith('/api/operator/') ? 21 : 20
}

/** The stranger's requests whose body or query names something of the victim, and all that only read. */
function requestsNaming(operation: Operation): PreparedRequest[] {
  const own = requestsFor(operation, stranger.ids, stranger.ids)
  return requestsFor(operation, stranger.ids, victim.ids).filter(
    (request, index) => operation.method === 'GET' || JSON.stringify(request) !== JSON.stringify(own[index]),
  )
}
