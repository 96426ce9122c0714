import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import sharp from 'sharp'
import { hostProcess, workersOf } from './support/host-processes.ts'
import { MachineInstallation } from './support/machine-installation.ts'
import { makeSandboxes, stop } from './support/machine-process.ts'
import { call, remove } from './support/service-process.ts'

const installation = await MachineInstallation.start()
const [sandbox = ''] = await makeSandboxes(installation.credentials, 1)
let moves = 0

interface Waiting {
  /** A screenshot that nobody has fetched. */
  readonly url: string
  /** What it shows. */
  readonly pixels: Buffer
}

async function act(screenShotFormat: string, x = moves): Promise<string> {
  const action = { type: 'mouse:move', x: { type: 'px', value: 20 + 30 * x }, y: { type: 'px', value: 200 } }
  const body = { action, settle: 'none', screenShotFormat }
  const answer = await call(installation.credentials, 'POST', `~/sandboxes/${sandbox}/actions/execute`, body)
  assert.equal(answer.status, 200)
  return answer.body.screenShot
}

async function fetched(url: string): Promise<Buffer> {
  const response = await fetch(url)
  assert.equal(response.status, 200, url)
  return sharp(await response.arrayBuffer())
    .removeAlpha()
    .raw()
    .toBuffer()
}

/** Takes two pictures of the same screen, of which one is fetched at once, and then changes the screen. */
async function takeOne(): Promise<Waiting> {
  moves++
  // What is below the pointer may change its shape a moment after it has come there.
  await act('webp')
  const url = await act('png')
  return { url, pixels: await fetched(await act('webp')) }
}

async function takeSome(): Promise<Waiting[]> {
  const taken: Waiting[] = []
  for (let count = 0; count < 2; count++) taken.push(await takeOne())
  assert.notDeepEqual(taken[0]?.pixels, taken[1]?.pixels)
  return taken
}

async function assertKept(taken: readonly Waiting[]): Promise<void> {
  for (const { url, pixels } of taken) assert.ok((await fetched(url)).equals(pixels), url)
}

test('a screenshot that is fetched later shows the screen at the time of its action', async () => {
  await assertKept((await takeSome()).reverse())
})

test('screenshots that nobody has fetched survive the end of the worker that took them', async () => {
  const taken = await takeSome()
  const workers = await workersOf(installation.service.pid)
  for (const pid of workers) process.kill(pid, 'SIGKILL')
  await waitFor(async () =>
    (await Promise.all(workers.map(hostProcess))).every(found => found?.hasEnded !== false),
  )
  await assertKept(taken)
  await waitFor(async () => (await act('png').catch(() => '')) !== '')
})

test('screenshots that nobody has fetched survive an orderly restart', async () => {
  const taken = await takeSome()
  await stop(installation.service)
  await installation.startAgain()
  await assertKept(taken)
})

test('screenshots that nobody has fetched survive kill -9 of the service', async () => {
  await waitFor(async () => (await act('png').catch(() => '')) !== '')
  const taken = await takeSome()
  await installation.service.kill()
  await installation.startAgain()
  await assertKept(taken)
})

test('no frames are left when the sandbox was deleted and the service started again', async () => {
  await waitFor(async () => (await act('png').catch(() => '')) !== '')
  const { url } = await takeOne()
  await remove(installation.credentials, `~/sandboxes/${sandbox}`)
  await waitFor(async () => (await fetch(url, { method: 'HEAD' })).status === 404)
  await stop(installation.service)
  await installation.startAgain()
  const folder = join(installation.data, 'local', 'frames')
  // The workers that run now have files of their own, in which nothing waits.
  await waitFor(
    async () => (await readdir(folder)).length <= (await workersOf(installation.service.pid)).length,
  )
})
