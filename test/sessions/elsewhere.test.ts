import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { connectDetails, enter } from '../../packages/server/src/testing/live-viewer.ts'
import { resolveNamesToLoopback } from '../../packages/server/src/testing/names.ts'
import { runningSandbox } from '../../packages/server/src/testing/sandbox-programs.ts'
import { type SignedIn, signIn } from '../../packages/server/src/testing/signed-in.ts'
import { startMachineService, testShapes } from '../../packages/server/src/testing/test-machines.ts'
import { startTestService, type TestService } from '../../packages/server/src/testing/test-service.ts'
import { askForSocket } from '../support/ask-for-socket.ts'
import { sharedDatabase } from '../support/shared-database.ts'

resolveNamesToLoopback()
const { env, folder } = await sharedDatabase()
const { service: here } = await startMachineService({ env })
const elsewhere = await startTestService({ ...env, SANDGLASS_SHAPES: await testShapes(folder, 0) })
const both = [here, elsewhere]
const sandbox = await runningSandbox(here)

async function newKey(): Promise<{ id: string; apiKey: string }> {
  return (await here.post('~/api-keys', { name: 'test', role: 'member' })).body
}

/** Opens streams in the session at both nodes, one of which forwards to the other, and returns their ends. */
async function openStreams(person: SignedIn): Promise<{ readonly ended: Promise<unknown> }[]> {
  const open = async (node: TestService, path: string) => {
    const headers = { ...person.headersAt(node), accept: 'text/event-stream' }
    const response = await fetch(node.service.url + node.expand(path), { headers })
    assert.equal(response.status, 200)
    return { ended: response.text().catch(() => '') }
  }
  const paths = ['~/events', `${sandbox}/files/changes?path=.`]
  return Promise.all(both.flatMap(node => paths.map(path => open(node, path))))
}

test('a session that began at one node works at every node, also inside of machines of others', async () => {
  const person = await signIn(elsewhere)
  for (const node of both) assert.equal((await person.on(node, 'GET', '/api/whoami')).status, 200)
  const exec = { body: { executable: 'echo', args: ['hello'] } }
  const ran = await person.on(elsewhere, 'POST', `${sandbox}/process`, exec)
  assert.equal(Buffer.from(ran.body.stdoutBase64, 'base64').toString(), 'hello\n')

  const made = await person.on(elsewhere, 'POST', '~/sandboxes', { body: { shapeName: 'small' } })
  assert.equal(made.status, 200, made.text)
  assert.equal((await person.on(elsewhere, 'DELETE', `~/sandboxes/${made.body.id}`)).status, 200)

  const { url } = elsewhere.service
  const socket = async (origin: string) => {
    const address = url + elsewhere.expand(`${sandbox}/tunnel/9`)
    const response = await askForSocket(address, { cookie: person.cookie, origin })
    return JSON.parse(await response.text()).code
  }
  assert.equal(await socket(url), 'tunnel.NOT_LISTENING')
  assert.equal(await socket('https://evil.example'), 'session.FOREIGN_PAGE')
})

const endings: Readonly<Record<string, (person: SignedIn, keyId: string) => Promise<unknown>>> = {
  'it is ended at another node': ({ id }) => here.delete(`~/sessions/${id}`),
  'its key is revoked at another node': (_person, keyId) => here.delete(`~/api-keys/${keyId}`),
  'the person signs out': person => person.on(elsewhere, 'DELETE', '/api/sessions/current'),
}

for (const [name, end] of Object.entries(endings))
  test(`a session and what it has open end at every node when ${name}`, async () => {
    const key = await newKey()
    const person = await signIn(elsewhere, { apiKey: key.apiKey })
    const streams = await openStreams(person)
    const details = await connectDetails(here, sandbox, { key: null, headers: person.headersAt(here) })
    const viewer = await enter(details)
    await viewer.message('lease')
    await end(person, key.id)
    for (const node of both)
      await waitFor(async () => (await person.on(node, 'GET', '~/stats')).body?.code === 'session.ENDED')
    await Promise.all(streams.map(({ ended }) => ended))
    assert.equal((await viewer.goodbye()).code, 'live.TOKEN_REVOKED')
  })

test('what was opened with the token of a mapping in a session ends with the session', async () => {
  const person = await signIn(here)
  const target = { body: { targetEndpoint: '127.0.0.1:3000' } }
  const mapping = (await person.on(elsewhere, 'POST', `${sandbox}/mappings`, target)).body
  const statusOf = async () => {
    const headers = { 'x-sandglass-mapping-token': mapping.accessToken }
    return (await fetch(`http://${mapping.domain}/`, { headers })).status
  }
  assert.equal(await statusOf(), 502, 'nothing listens there')
  await person.on(here, 'DELETE', '/api/sessions/current')
  await waitFor(async () => (await statusOf()) === 401)
})
