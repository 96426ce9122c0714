import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../testing/cleanup.ts'
import { makeSandbox } from '../testing/make-sandbox.ts'
import { startMachineService } from '../testing/test-machines.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-meminfo-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))
const meminfo = join(folder, 'meminfo')
const available = (MiB: number) => writeFile(meminfo, `MemAvailable: ${MiB * 1024} kB\n`)
await available(8192)
const { service } = await startMachineService({ meminfo, warm: 1 })

const create = (shape: string) => service.post('~/sandboxes', { shape })

test('a host that is short of memory creates no machines, keeps serving those that run, and recovers by itself', async () => {
  const id = await makeSandbox(service)
  await waitFor(
    async () => (await service.metric('sandglass_warm_machines_ready{shape="warm",kind="shape"}')) === 1,
  )
  await available(100)
  await waitFor(async () => (await service.get('/readyz')).body.degraded !== undefined)
  const refused = await create('small')
  assert.equal(refused.status, 503, refused.text)
  assert.equal(refused.body.code, 'machine.NO_CAPACITY')
  assert.match(refused.body.message, /100 MiB are available, and SANDGLASS_MEMORY_RESERVE is 768 MiB/)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  // A machine that is ready takes more memory as soon as somebody works in it.
  const { status, body } = await create('warm')
  assert.deepEqual([status, body.code], [503, 'machine.NO_CAPACITY'])

  const action = { type: 'mouse:move', x: { type: 'px', value: 1 }, y: { type: 'px', value: 1 } }
  const acted = await service.post(`~/sandboxes/${id}/actions/execute`, { action })
  assert.equal(acted.status, 200, acted.text)
  const run = { executable: 'echo', args: ['still here'] }
  assert.equal((await service.post(`~/sandboxes/${id}/process`, run)).status, 200)
  const ready = await service.get('/readyz')
  assert.equal(ready.status, 200)
  assert.deepEqual(
    ready.body.degraded.map(({ check }: { check: string }) => check),
    ['memory'],
  )

  await available(8192)
  await waitFor(async () => (await create('warm')).status === 200)
  assert.deepEqual((await service.get('/readyz')).body, { status: 'ready' })
  const { text } = await service.operator('GET', '/metrics')
  assert.match(text, /^sandglass_creates_total\{shape="small",result="machine\.NO_CAPACITY"\} \d+$/m)
})
