import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sandbox, Secret, SecretError, Volume, VolumeError } from 'e2b'
import { recordCalls } from '../../../testing/e2b-calls/record-calls.ts'
import { e2bOptions } from '../../../testing/e2b-options.ts'
import { startTestService } from '../../../testing/test-service.ts'

recordCalls(import.meta.filename)
const service = await startTestService()
const options = e2bOptions(service)

test('volumes are refused with an error of the client', async () => {
  const isRefused = (error: unknown) => {
    assert.ok(error instanceof VolumeError, String(error))
    assert.match(error.message, /400: Volumes of E2B's client are not supported here/)
    return true
  }
  await assert.rejects(Volume.create('data', options), isRefused)
  await assert.rejects(Volume.list(options), isRefused)
  await assert.rejects(Volume.getInfo('data', options), isRefused)
  await assert.rejects(Volume.connect('data', options), isRefused)
  await assert.rejects(Volume.destroy('data', options), isRefused)

  const volume = new Volume('data', 'data', options.apiKey)
  const here = { apiUrl: options.apiUrl }
  await assert.rejects(volume.list('/', here), isRefused)
  await assert.rejects(volume.makeDir('/folder', here), isRefused)
  await assert.rejects(volume.getInfo('/file', here), isRefused)
  await assert.rejects(volume.exists('/file', here), isRefused)
  await assert.rejects(volume.updateMetadata('/file', { mode: 0o600 }, here), isRefused)
  await assert.rejects(volume.readFile('/file', here), isRefused)
  await assert.rejects(volume.writeFile('/file', 'content', here), isRefused)
  await assert.rejects(volume.remove('/file', here), isRefused)
})

test('secrets are refused with an error of the client', async () => {
  const isRefused = (error: unknown) => {
    assert.ok(error instanceof SecretError, String(error))
    assert.match(error.message, /400: Secrets of E2B's client are not supported here/)
    return true
  }
  await assert.rejects(Secret.create('name', 'value', options), isRefused)
  await assert.rejects(Secret.update('name', 'value', options), isRefused)
  await assert.rejects(Secret.getInfo('name', options), isRefused)
  await assert.rejects(Secret.exists('name', options), isRefused)
  await assert.rejects(Secret.destroy('name', options), isRefused)
  await assert.rejects(Secret.list(options).nextItems(), isRefused)
  assert.match(Secret.fill('name'), /e2b\.secrets\.name/)
  const tokens = { aws: Secret.iamToken({ audience: 'somebody', tokenType: 'JWT-SVID' }) }
  await assert.rejects(Sandbox.create('small', { ...options, iam: { tokens } }), /400: iam is not supported/)
  await assert.rejects(Sandbox.create('small', { ...options, mcp: {} }), /400: mcp is not supported/)
})
