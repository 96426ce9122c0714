import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { startCluster } from './support/folder-engine/open-cluster.ts'
import { nodeIdIn } from './support/nodes.ts'

test('what machines in a cluster cannot have is refused at once, with what can be done', async () => {
  const { service, folder } = await startCluster()
  const { db } = service.pool
  const id = await makeSandbox(service)
  const refusal = async (path: string, json: object) => {
    const { status, body } = await service.post(path, json)
    return { status, code: body.code, message: `${body.message} ${body.hint ?? ''}`, issues: body.issues }
  }
  const create = (more: object) => refusal('~/sandboxes', { shape: 'small', ...more })

  const named = await create({ egress: [{ cidr: '203.0.113.0/24' }, { host: 'example.com' }] })
  assert.deepEqual(
    [named.status, named.code, named.issues[0].path],
    [400, 'request.INVALID', 'egress.1.host'],
  )
  assert.match(named.message, /can be limited to networks, not to names; use cidr, or another shape/)

  // A volume that another engine of the node has.
  const node = await nodeIdIn(service.folder)
  await sql`INSERT INTO volumes (id, org_id, name, size_mib, node_id, engine, state, created_by)
    SELECT 'v1', org_id, 'data', 64, ${node}, 'local', 'ready', 'somebody' FROM sandboxes WHERE id = ${id}`.execute(
    db,
  )
  const mounted = await create({ volumes: [{ name: 'data', path: '/data' }] })
  assert.deepEqual([mounted.status, mounted.code], [409, 'volume.UNSUPPORTED'])
  assert.match(mounted.message, /Machines of this shape cannot have volumes/)

  const saved = await refusal(`~/sandboxes/${id}/snapshots`, { name: 'before', memory: true })
  assert.deepEqual([saved.status, saved.code], [409, 'snapshot.NO_MEMORY'])
  const forked = await refusal(`~/sandboxes/${id}/fork`, { memory: true })
  assert.deepEqual([forked.status, forked.code], [409, 'snapshot.NO_MEMORY'])

  assert.equal((await folder.list()).length, 1, 'nothing was made')
})
