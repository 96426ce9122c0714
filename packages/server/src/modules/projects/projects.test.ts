import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Project } from '@sandglass/protocol'
import { z } from 'zod'
import { startTestService } from '../../testing/test-service.ts'

const service = await startTestService()

test('a default project exists from the start and cannot be deleted', async () => {
  const { status, body } = await service.get('~/projects')
  assert.equal(status, 200)
  const [project, ...others] = z.array(Project).parse(body)
  assert.equal(others.length, 0)
  assert.equal(project?.defaultProject, true)
  const refused = await service.delete(`~/projects/${project?.id}`)
  assert.deepEqual([refused.status, refused.body.code], [409, 'project.DEFAULT'])
})

test('a new project is listed and counted, and its deletion has an empty answer', async () => {
  const made = Project.parse((await service.post('~/projects', { name: '  Atlas  ' })).body)
  assert.equal(made.name, 'Atlas')
  assert.equal(made.defaultProject, false)
  const listed = (await service.get('~/projects')).body
  assert.deepEqual(
    listed.find(({ id }: Project) => id === made.id),
    made,
  )
  assert.equal((await service.get('~/stats')).body.projects, listed.length)

  const deleted = await service.delete(`~/projects/${made.id}`)
  assert.deepEqual([deleted.status, deleted.text, deleted.headers.get('content-length')], [200, '', '0'])
  assert.equal((await service.get('~/stats')).body.projects, listed.length - 1)
  const again = await service.delete(`~/projects/${made.id}`)
  assert.deepEqual([again.status, again.body.code], [404, 'project.NOT_FOUND'])
})

test('a project with sandboxes cannot be deleted', async () => {
  const { body: project } = await service.post('~/projects', { name: 'Busy' })
  await service.pool.db
    .insertInto('sandboxes')
    .values({
      id: 'a-sandbox',
      org_id: service.orgId,
      project_id: project.id,
      name: 'sandbox',
      shape_name: 'linux-desktop',
      status: 'RUNNING',
      expires_at: new Date(Date.now() + 60_000),
    })
    .execute()
  assert.equal((await service.get('~/stats')).body.sandboxes, 1)
  const refused = await service.delete(`~/projects/${project.id}`)
  assert.deepEqual([refused.status, refused.body.code], [409, 'project.NOT_EMPTY'])
  await service.pool.db.deleteFrom('sandboxes').where('id', '=', 'a-sandbox').execute()
  assert.equal((await service.delete(`~/projects/${project.id}`)).status, 200)
})

test("another organization's project does not exist", async () => {
  const other = await service.otherOrganization()
  const { body: project } = await service.post('~/projects', { name: 'Mine' })
  const paths = [`~/projects/${project.id}`, `/api/orgs/${other.orgId}/projects/${project.id}`]
  for (const path of paths)
    assert.equal((await service.delete(path, { key: other.apiKey })).status, 404, path)
  assert.equal((await service.delete(`~/projects/${project.id}`)).status, 200)
})

for (const name of ['', '   ', 'x'.repeat(101), 'a\u0000b', 'a\ud800b', 'line\nbreak', 7, null])
  test(`the name ${JSON.stringify(name)} is refused with the path of the field`, async () => {
    const { status, body } = await service.post('~/projects', { name })
    assert.deepEqual([status, body.code, body.issues[0].path], [400, 'request.INVALID', 'name'])
  })

test('admins rename projects, also the default one, and only those of their organization', async () => {
  const [project] = (await service.get('~/projects')).body
  const rename = (path: string, name: string, key?: string) =>
    service.call('PATCH', path, { key, body: { name } })
  const path = `~/projects/${project.id}`
  const renamed = await rename(path, '  Home  ', await service.keyOf('admin'))
  assert.deepEqual(Project.parse(renamed.body), { ...project, name: 'Home' })
  assert.equal((await service.get('~/projects')).body[0].name, 'Home')
  assert.equal((await rename(path, 'Taken', await service.keyOf('member'))).status, 403)
  assert.equal((await rename(path, ' ')).status, 400)
  const other = await service.otherOrganization()
  const foreign = await rename(`/api/orgs/${other.orgId}/projects/${project.id}`, 'Taken', other.apiKey)
  assert.deepEqual([foreign.status, foreign.body.code], [404, 'project.NOT_FOUND'])
})
