import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import {
  AuthenticationError,
  BuildError,
  Sandbox,
  Template,
  type TemplateClass,
  TemplateError,
  waitForPort,
} from 'e2b'
import { recordCalls } from '../../../testing/e2b-calls/record-calls.ts'
import { e2bOptions } from '../../../testing/e2b-options.ts'
import { startMachineService } from '../../../testing/test-machines.ts'

recordCalls(import.meta.filename)
const { service, engine } = await startMachineService()
const options = e2bOptions(service)

/** Requires that a template is refused with an error of the client that says why. */
const refuses = (template: TemplateClass, message: RegExp, name = 'never') =>
  assert.rejects(Template.build(template, name, options), (error: unknown) => {
    assert.ok(error instanceof BuildError)
    assert.match(error.message, message)
    return true
  })

test('images of registries are refused', async () => {
  const registries = /400: .*Images of registries are not fetched here/
  for (const template of [
    Template().fromDebianImage(),
    Template().fromUbuntuImage(),
    Template().fromFedoraImage(),
    Template().fromAlpineImage(),
    Template().fromArchImage(),
    Template().fromPythonImage(),
    Template().fromNodeImage(),
    Template().fromBunImage(),
    Template().fromImage('small', { username: 'me', password: 'secret' }),
    Template().fromAWSRegistry('image', { accessKeyId: 'a', secretAccessKey: 'b', region: 'c' }),
    Template().fromGCPRegistry('image', { serviceAccountJSON: {} }),
  ])
    await refuses(template, registries)
})

test('what a disk cannot keep and templates that do not exist are refused', async () => {
  const base = () => Template().fromTemplate('small')
  await refuses(base().setStartCmd('serve', waitForPort(80)), /400: A start command is not supported/)
  await refuses(base().setReadyCmd(waitForPort(80)), /400: A start command is not supported/)
  await refuses(Template().fromTemplate('nothing'), /404: There is no template "nothing"/)
  await refuses(Template().fromTemplate('mcp-gateway').addMcpServer('browserbase'), /404/)
  await refuses(Template().fromTemplate('devcontainer').betaDevContainerPrebuild('/x'), /404/)
  await refuses(Template().fromTemplate('devcontainer').betaSetDevContainerStart('/x'), /400/)
  await refuses(base().setEnvs({ 'not a name': 'x' }), /400: Step 1: /)
  await refuses(base().setUser('no user'), /400: Step 1: /)
  await refuses(base().runCmd('true'), /400: The name small is that of a shape/, 'small')
  await refuses(base().runCmd('true'), /400: name /, 'no spaces')
  await assert.rejects(
    Template.build(base(), 'sized', { ...options, cpuCount: 8 }),
    /400: cpuCount cannot be chosen/,
  )
  await assert.rejects(Template.build(base(), 'many:v1', { ...options, tags: ['v2'] }), /400: tags/)
})

test('tags cannot be changed, and a template without images has none', async () => {
  await assert.rejects(Template.assignTags('a:b', 'c', options), TemplateError)
  await assert.rejects(Template.removeTags('a', 'b', options), TemplateError)
  await assert.rejects(Template.getTags('nothing', options), TemplateError)
})

test('only members build, and each sees the builds of its own organization', async () => {
  const template = Template().fromTemplate('small').runCmd('true')
  const data = await Template.buildInBackground(template, 'mine', options)
  const other = { ...options, apiKey: (await service.otherOrganization()).apiKey }
  await assert.rejects(Template.getBuildStatus(data, other), /404: There is no such build/)
  assert.equal(await Template.exists('mine', other), false)
  const stolen = await service.post(
    `/v2/templates/mine/builds/${data.buildId}`,
    { fromTemplate: 'small' },
    { key: other.apiKey },
  )
  assert.equal(stolen.status, 404)
  const viewer = { ...options, apiKey: await service.keyOf('viewer') }
  await assert.rejects(Template.build(template, 'viewed', viewer), /403/)
  const wrong = { ...options, apiKey: `${options.apiKey.slice(0, -4)}0000` }
  await assert.rejects(Template.build(template, 'wrong', wrong), AuthenticationError)
  await assert.rejects(Sandbox.create('viewed', options), /404/)
})

test('malformed requests are errors of the client, and leave nothing', async () => {
  const id = randomUUID()
  const hash = createHash('sha256').update('x').digest('hex')
  const builds = `/v2/templates/name/builds/${id}`
  const step = (one: object) => ({ fromTemplate: 'small', steps: [one] })
  for (const body of [
    {},
    { fromTemplate: 5 },
    { fromImage: '' },
    { fromTemplate: 'small', steps: {} },
    { fromTemplate: 'small', steps: Array.from({ length: 101 }, () => ({ type: 'RUN', args: ['true'] })) },
    step({}),
    step({ type: 'REBOOT' }),
    step({ type: 'RUN' }),
    step({ type: 'RUN', args: [7] }),
    step({ type: 'RUN', args: ['true', 'no user'] }),
    step({ type: 'ENV', args: ['A'] }),
    step({ type: 'USER', args: [] }),
    step({ type: 'WORKDIR', args: [''] }),
    step({ type: 'WORKDIR', args: ['a\0b'] }),
    step({ type: 'COPY', args: ['a', 'b'] }),
    step({ type: 'COPY', args: ['a', 'b'], filesHash: 'short' }),
    step({ type: 'COPY', args: ['a', '/b', 'x; reboot'], filesHash: hash }),
    step({ type: 'COPY', args: ['a', '/b', '', 'rwx'], filesHash: hash }),
    [],
    'text',
    null,
  ]) {
    const { status, text } = await service.post(builds, body)
    assert.equal(status, 400, `${JSON.stringify(body)}: ${text}`)
    assert.equal(typeof JSON.parse(text).message, 'string')
  }
  const statusOf = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
    (
      await fetch(service.service.url + path, {
        method,
        headers: { 'x-api-key': options.apiKey, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    ).status
  assert.equal(await statusOf('POST', '/v2/templates/name/builds/none', { fromTemplate: 'small' }), 404)
  assert.equal(await statusOf('POST', `/v2/templates/a%20b/builds/${id}`, { fromTemplate: 'small' }), 400)
  assert.equal(await statusOf('GET', '/templates/name/builds/none/status'), 404)
  assert.equal(await statusOf('GET', `/templates/name/builds/${id}/status`), 404)
  assert.equal(await statusOf('GET', `/templates/name/builds/${id}/status?logsOffset=-1`), 400)
  assert.equal(await statusOf('GET', '/templates/name/files/short'), 400)
  assert.equal(await statusOf('GET', '/templates/aliases/nothing'), 404)
  assert.equal(await statusOf('POST', '/v3/templates', {}), 400)
  assert.equal(await statusOf('POST', '/v3/templates', { name: 5 }), 400)
  assert.equal(await statusOf('POST', '/templates/tags', { target: [] }), 400)
  assert.equal(await statusOf('DELETE', '/templates/tags'), 400)
  await waitFor(async () => (await engine.list()).length === 0)
})

test('a file is uploaded with the token of its link alone, for a build of the same organization', async () => {
  const hash = createHash('sha256').update('uploaded').digest('hex')
  const { body: link } = await service.get(`/templates/name/files/${hash}`)
  assert.equal(link.present, false)
  const put = (url: string, headers: Record<string, string>) =>
    fetch(url, { method: 'PUT', headers, body: 'no archive' })
  assert.equal((await put(link.url, {})).status, 401)
  assert.equal((await put(link.url.replace(hash, hash.replaceAll(/[0-4]/g, '5')), link.headers)).status, 401)
  assert.equal((await put(link.url, link.headers)).status, 200)
  assert.equal((await service.get(`/templates/name/files/${hash}`)).body.present, true)
  const { apiKey } = await service.otherOrganization()
  assert.equal((await service.get(`/templates/name/files/${hash}`, { key: apiKey })).body.present, false)

  const start = async (id: string, filesHash: string) =>
    service.post(`/v2/templates/archive/builds/${id}`, {
      fromTemplate: 'small',
      steps: [{ type: 'COPY', args: ['a', '/a'], filesHash }],
    })
  const endOf = async (buildId: string) => {
    for (;;) {
      const data = { templateId: 'archive', buildId }
      // Beyond the log, so that the answer waits for the end.
      const status = await Template.getBuildStatus(data, { ...options, logsOffset: 10_000 })
      if (status.status !== 'building') return status
    }
  }
  const [broken, missing] = [randomUUID(), randomUUID()]
  assert.equal((await start(broken, hash)).status, 202)
  assert.equal((await start(broken, hash)).status, 202)
  assert.match((await endOf(broken)).reason?.message ?? '', /The script ended with code/)
  assert.equal((await start(missing, hash.replaceAll(/[0-4]/g, '5'))).status, 202)
  assert.match((await endOf(missing)).reason?.message ?? '', /The file was not uploaded/)
})
