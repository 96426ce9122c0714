import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OperatorSandbox } from '@sandglass/protocol'
import { z } from 'zod'
import { startTestService } from '../../testing/test-service.ts'

const service = await startTestService()
const other = await service.otherOrganization()
const [node] = (await service.operator('GET', '/api/operator/nodes')).body

/** Inserts a sandbox without a machine. */
async function insert(
  orgId: string,
  id: string,
  status: 'RUNNING' | 'ERROR',
  nodeId?: string,
): Promise<void> {
  const { id: projectId } = await service.pool.db
    .selectFrom('projects')
    .select('id')
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow()
  await service.pool.db
    .insertInto('sandboxes')
    .values({
      id,
      org_id: orgId,
      project_id: projectId,
      name: id,
      shape_name: 'small',
      status,
      expires_at: new Date(Date.now() + 3_600_000),
      created_by: '',
      labels: '{}',
      node_id: nodeId ?? null,
    })
    .execute()
}

async function list(
  query = '',
): Promise<{ ids: string[]; next: string | null; sandboxes: OperatorSandbox[] }> {
  const { status, body, headers, text } = await service.operator('GET', `/api/operator/sandboxes${query}`)
  assert.equal(status, 200, text)
  const sandboxes = z.array(OperatorSandbox).parse(body)
  return { ids: sandboxes.map(({ id }) => id), next: headers.get('x-next-cursor'), sandboxes }
}

for (const [id, of, status, nodeId] of [
  ['a', service.orgId, 'RUNNING', node.id],
  ['b', other.orgId, 'ERROR', undefined],
  ['c', other.orgId, 'RUNNING', undefined],
  ['d', service.orgId, 'RUNNING', undefined],
] as const)
  await insert(of, id, status, nodeId)

test('operators list the sandboxes of all organizations, the last one first, in pages', async () => {
  const { ids, next, sandboxes } = await list()
  assert.deepEqual([ids, next], [['d', 'c', 'b', 'a'], null])
  assert.deepEqual(
    sandboxes.map(({ orgId, nodeId }) => [orgId, nodeId]),
    [
      [service.orgId, null],
      [other.orgId, null],
      [other.orgId, null],
      [service.orgId, node.id],
    ],
  )
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await list(`?limit=3${cursor && `&cursor=${cursor}`}`)
    seen.push(...page.ids)
    cursor = page.next
  }
  assert.deepEqual(seen, ids)
})

test('they are filtered by organization, status and node', async () => {
  assert.deepEqual((await list(`?orgId=${other.orgId}`)).ids, ['c', 'b'])
  assert.deepEqual((await list(`?orgId=${other.orgId}&status=ERROR`)).ids, ['b'])
  assert.deepEqual((await list(`?nodeId=${node.id}`)).ids, ['a'])
  assert.deepEqual((await list('?orgId=absent')).ids, [])
})

test('a cursor that was made up is refused, and so is everybody but the operator', async () => {
  const madeUp = Buffer.from('1 \0').toString('base64url')
  for (const cursor of ['x', madeUp]) {
    const refused = await service.operator('GET', `/api/operator/sandboxes?cursor=${cursor}`)
    assert.deepEqual([refused.status, refused.body.code], [400, 'request.INVALID'])
  }
  assert.equal((await service.get('/api/operator/sandboxes')).status, 403)
})
