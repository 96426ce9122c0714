import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { OperatorImage } from '@sandglass/protocol'
import { machineData, makeSandboxes, runningMachines, stop } from './support/machine-process.ts'
import { call, ServiceProcess } from './support/service-process.ts'

const operatorImages = '/api/operator/machine-images'

test('real machines of an image wait with its files, survive a stop and a crash of the service, and end with the image', async () => {
  const { data, env, engine } = await machineData()
  let service = await ServiceProcess.start(data, env)
  let credentials = await service.credentials()
  const ask = (method: string, path: string, body?: unknown) => call(credentials, method, path, body)
  const operate = (method: string, path: string, body?: unknown) =>
    call(credentials, method, path, body, credentials.operatorKey)
  const run = async (id: string, script: string) => {
    const asked = { executable: 'sh', args: ['-c', script] }
    const { body } = await ask('POST', `~/sandboxes/${id}/process`, asked)
    return Buffer.from(body?.stdoutBase64 ?? '', 'base64')
      .toString()
      .trim()
  }
  const [source = ''] = await makeSandboxes(credentials, 1)
  assert.equal(await run(source, 'echo before > note; cat note'), 'before')
  const asked = { sandboxId: source, name: 'prepared', deleteSandbox: true }
  const { status, body: image } = await ask('POST', '~/machine-images', asked)
  assert.deepEqual([status, image.status], [200, 'READY'])
  await waitFor(async () => (await runningMachines(engine)).length === 0)

  const ready = async () => {
    const { body } = await operate('GET', operatorImages)
    return body?.find(({ id }: OperatorImage) => id === image.id)?.ready
  }
  const patched = await operate('PATCH', `${operatorImages}/${image.id}`, { warm: 2 })
  assert.deepEqual([patched.status, patched.body.warm], [200, 2])
  await waitFor(async () => (await ready()) === 2)
  const pooled = await runningMachines(engine)
  assert.equal(pooled.length, 2)

  await stop(service)
  service = await ServiceProcess.start(data, env)
  await service.kill()
  service = await ServiceProcess.start(data, env)
  credentials = await service.credentials()
  await waitFor(async () => (await ready()) === 2)
  assert.deepEqual(await runningMachines(engine), pooled)

  const from = { imageId: image.id, name: 'copy', maxLifeSeconds: 600 }
  let copy = ''
  await waitFor(async () => {
    const { status, body } = await ask('POST', '~/sandboxes/from-image', from)
    // Its engine may still be taking up its machines.
    if (status === 503) return false
    assert.deepEqual([status, body.sandbox?.status], [200, 'RUNNING'])
    copy = body.sandbox.id
    return true
  })
  assert.equal(await run(copy, 'cat note; echo changed > note'), 'before')
  await waitFor(async () => (await ready()) === 2)
  const after = await runningMachines(engine)
  assert.equal(after.length, 3)
  assert.ok(pooled.every(id => after.includes(id)))

  assert.equal((await ask('DELETE', `~/machine-images/${image.id}`)).status, 204)
  await waitFor(async () => (await runningMachines(engine)).length === 1)
  assert.equal(await run(copy, 'cat note'), 'changed')
  await ask('DELETE', `~/sandboxes/${copy}`)
  await waitFor(async () => (await engine.list()).length === 0)
  await waitFor(async () => (await engine.snapshots.list()).length === 0)
})
