import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { smallDisk, waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../../testing/cleanup.ts'
import { RunningSandbox } from '../../testing/running-sandbox.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const reserveDiskMiB = 64
const disk = await smallDisk(384)
cleanup.defer(() => disk.dispose())
const machines = await startMachineService({ dataDir: disk.folder, reserveDiskMiB })
const sandbox = await RunningSandbox.start(machines)

const content = (path: string) => `/files/content?path=${path}`
const put = (path: string, body: Buffer) => sandbox.fetch(content(path), { method: 'PUT', body })
const read = async (path: string) => Buffer.from(await (await sandbox.fetch(content(path))).arrayBuffer())

test('a host without disk space refuses writes and creates with the reason, and loses nothing', async () => {
  const old = randomBytes(100_000)
  assert.equal((await put('kept', old)).status, 200)
  await disk.fill(reserveDiskMiB - 8)

  const refused = await put('kept', randomBytes(1000))
  const { code, message } = JSON.parse(await refused.text())
  assert.deepEqual([refused.status, code], [503, 'node.DISK_FULL'])
  assert.match(message, /^The disk of the sandbox's host is nearly full/)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.ok((await read('kept')).equals(old))

  const form = new FormData()
  form.append('file', new Blob(['new']), 'new')
  const uploaded = await sandbox.fetch(content('.'), { method: 'POST', body: form })
  assert.match(await uploaded.text(), /"success":false.*nearly full/)

  const created = await machines.service.post('~/sandboxes', { shapeName: 'small' })
  assert.deepEqual([created.status, created.body.code], [503, 'machine.NO_CAPACITY'])
  assert.match(created.body.message, /short of disk: \d+ MiB are free, of which 64 MiB stay reserved/)

  await disk.empty()
  await waitFor(async () => (await put('kept', Buffer.from('new'))).status === 200)
  assert.equal(String(await read('kept')), 'new')
})
