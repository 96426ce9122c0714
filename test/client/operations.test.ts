import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { OperationId } from '@sandglass/client'
import { routes } from '../../packages/client/src/routes.ts'
import { temporaryFolder } from '../support/service-process.ts'
import { applications, live, mappings, mcpServers } from './operations/access.ts'
import { actions, parsers } from './operations/actions.ts'
import { browsers } from './operations/browsers.ts'
import { files } from './operations/files.ts'
import { nodes, organizations, service } from './operations/operator.ts'
import { organization } from './operations/organization.ts'
import { programs } from './operations/programs.ts'
import { sandboxes } from './operations/sandboxes.ts'
import { images, snapshots, volumes } from './operations/saved.ts'
import { sessions } from './operations/sessions.ts'
import { webhooks } from './operations/webhooks.ts'
import { startWorld } from './operations/world.ts'

const catalogue = join(await temporaryFolder(), 'applications.json')
const hello = { id: 'hello', name: 'Hello', description: 'For tests.', packages: ['hello'] }
await writeFile(catalogue, JSON.stringify({ applications: [hello] }))
const world = await startWorld(catalogue)

const subjects = {
  organization,
  sessions,
  webhooks,
  files,
  programs,
  actions,
  parsers,
  mappings,
  browsers,
  live,
  mcpServers,
  applications,
  snapshots,
  images,
  volumes,
  sandboxes,
  organizations,
  nodes,
  service,
}

for (const [name, call] of Object.entries(subjects))
  test(`the operations of ${name} do through the client what they say`, () => call(world))

test('every operation was called through the client, and succeeded', () => {
  // Sockets are opened, and not called.
  const callable = (Object.keys(routes) as OperationId[]).filter(id => routes[id].answers !== 'socket')
  const missing = callable.filter(id => !world.succeeded.has(id))
  assert.deepEqual(missing, [], 'add a call of it to a file in test/client/operations')
})
