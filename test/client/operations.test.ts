import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AuthenticationError, NotFoundError, Sandglass } from '@sandglass/client'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'

const { service } = await startMachineService()
const { credentials } = service.service
const client = new Sandglass(credentials)

test('operations are called with typed inputs, and answer or fail with typed errors', async () => {
  const sandbox = await client.createSandbox({ body: { shapeName: 'small', labels: { by: 'client' } } })
  const listed = await Array.fromAsync(client.all('listSandboxes', { label: 'by=client', limit: 1 }))
  assert.deepEqual(
    listed.map(({ id }) => id),
    [sandbox.id],
  )
  const created = await Array.fromAsync(client.all('listEvents'))
  assert.ok(created.some(({ type }) => type === 'sandbox.created'))
  const seen = (async () => {
    for await (const event of client.stream('listEvents')) if (event.type === 'sandbox.deleted') return event
    return undefined
  })()
  await client.deleteSandbox({ sandboxId: sandbox.id })
  assert.equal((await seen)?.subject, sandbox.id)
  await assert.rejects(client.getSandbox({ sandboxId: sandbox.id }), (error: NotFoundError) => {
    assert.ok(error instanceof NotFoundError)
    assert.equal(error.code, 'sandbox.NOT_FOUND')
    assert.match(error.requestId ?? '', /./)
    return true
  })
  const stranger = new Sandglass({ ...credentials, apiKey: 'wrong' })
  await assert.rejects(stranger.getStats(), AuthenticationError)
})
