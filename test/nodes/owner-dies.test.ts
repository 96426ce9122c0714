import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { enter } from '../../packages/server/src/testing/live-viewer.ts'
import { ShellEvents } from '../../packages/server/src/testing/shell-events.ts'
import { startTestService } from '../../packages/server/src/testing/test-service.ts'
import { machineData, makeSandboxes } from '../support/machine-process.ts'
import { call, ServiceProcess } from '../support/service-process.ts'
import { sharedDatabase } from '../support/shared-database.ts'

const { env: database } = await sharedDatabase()
const { data, env } = await machineData()
const owner = await ServiceProcess.start(data, { ...env, ...database })
const credentials = await owner.credentials()
const front = await startTestService(database)
const [id = ''] = await makeSandboxes(credentials, 1)
const sandbox = `~/sandboxes/${id}`

test('calls and streams through another process end when the owner dies, and new ones get a 503', async () => {
  const { body: connect } = await call(credentials, 'POST', `${sandbox}/live/tokens`, {})
  const port = Number(new URL(front.service.url).port)
  const addresses = connect.gatewayAddresses.map((address: object) => ({ ...address, port }))
  const details = { ...connect, gatewayAddresses: addresses }
  const ada = await enter(details)
  await ada.message('lease')

  const events = await ShellEvents.open(front, `${sandbox}/shell/stream`, {
    body: { command: 'echo up; sleep 1000' },
  })
  await events.until('up')
  const waiting = front.post(`${sandbox}/process`, { executable: 'sleep', args: ['1000'] })

  await owner.kill()
  await ada.until(() => ada.isClosed)
  await assert.rejects(events.rest())
  const broken = await waiting
  assert.deepEqual([broken.status, broken.body.code], [503, 'node.GONE'])
  const next = await front.post(`${sandbox}/process`, { executable: 'true' })
  assert.deepEqual([next.status, next.body.code], [503, 'node.GONE'])
  const bob = await enter(details)
  const { code, isFinal } = await bob.goodbye()
  assert.deepEqual([code, isFinal], ['node.GONE', false])
})

test('an owner that restarts with another address is reached at the new one', async () => {
  const again = await ServiceProcess.start(data, { ...env, ...database })
  const { url } = await again.credentials()
  assert.notEqual(url, credentials.url)
  await waitFor(async () => {
    const { status } = await front.post(`${sandbox}/process`, { executable: 'true' })
    return status === 200
  })
})
