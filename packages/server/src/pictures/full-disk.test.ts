import assert from 'node:assert/strict'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { smallDisk, waitFor } from '@sandglass/machines/testing'
import { captureOf, gradient } from '@sandglass/workers/testing'
import { cleanup } from '../testing/cleanup.ts'
import { makeSandbox } from '../testing/make-sandbox.ts'
import { startMachineService } from '../testing/test-machines.ts'

const disk = await smallDisk(64)
cleanup.defer(() => disk.dispose())
const data = await mkdtemp(join(tmpdir(), 'sandglass-data-'))
cleanup.defer(() => rm(data, { recursive: true, force: true }))
// Only the screenshots are on the disk that the test fills.
await symlink(disk.folder, join(data, 'screenshots'))
const { service } = await startMachineService({ env: { SANDGLASS_DATA: data } })
const { pictures } = service.service

const click = (x: number) => ({
  action: { type: 'mouse:move', x: { type: 'px', value: x }, y: { type: 'px', value: 100 } },
  settle: 'none',
})

test('an action reports a screenshot that cannot be stored, and screenshots work again once there is space', async () => {
  const id = await makeSandbox(service)
  const act = async (x: number) => (await service.post(`~/sandboxes/${id}/actions/execute`, click(x))).body
  const before = await act(100)
  assert.ok(before.screenShot && !before.screenShotError)

  await disk.fill(1)
  let x = 101
  let answer = before
  await waitFor(async () => {
    answer = await act(x++)
    return answer.screenShotError !== undefined
  })
  assert.equal(answer.screenShot, undefined)
  assert.equal(answer.screenShotError.code, 'node.DISK_FULL')
  assert.match(answer.screenShotError.message, /disk of the host is full/)
  assert.ok(answer.cursorPosition, 'the action was done')

  await disk.empty()
  await waitFor(async () => {
    answer = await act(x++)
    return answer.screenShot !== undefined
  })
  const picture = await fetch(answer.screenShot)
  assert.equal(picture.status, 200)
  await picture.arrayBuffer()
})

test('a picture that could not be stored gets a 503 with the reason once it is no longer in memory', async () => {
  await disk.fill(1)
  const format = 'png'
  const keep = () => pictures.keep(captureOf(gradient(1280, 720), { format, pointer: false }), { format })
  const lost = keep()
  await assert.rejects(lost.stored, { code: 'ENOSPC' })
  assert.equal(lost.problem?.code, 'node.DISK_FULL')
  assert.ok((await lost.bytes()).body.length > 0, 'a caller who holds the picture still gets it from memory')
  // Take further pictures until they have evicted this one from memory.
  let answer = await service.get(new URL(lost.url).pathname)
  while (answer.status === 200) {
    await assert.rejects(keep().stored)
    answer = await service.get(new URL(lost.url).pathname)
  }
  assert.deepEqual([answer.status, answer.body.code], [503, 'node.DISK_FULL'])
  assert.ok(Number(answer.headers.get('retry-after')) > 0)
  await disk.empty()
})
