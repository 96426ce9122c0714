import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { encodeH264, FakeAdbd, FakeScrcpy, picture } from '@sandglass/machines/test-phones'
import { waitFor } from '@sandglass/machines/testing'
import { recordFront } from '../packages/server/src/host/front-record.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { enter } from '../packages/server/src/testing/live-viewer.ts'
import { peakMemory, resetPeakMemory } from './hostile/service-memory.ts'
import { descendantsOf, frontOf, hostProcess, workersOf } from './support/host-processes.ts'
import { makeSandboxes } from './support/machine-process.ts'
import { pixel } from './support/phone-service.ts'
import { type Credentials, call, ServiceProcess, temporaryFolder } from './support/service-process.ts'

const portrait = { width: 362, height: 646 }
const [first, second] = [
  picture(portrait, { x: 20, y: 30, width: 100, height: 80 }, [250, 20, 30]),
  picture(portrait, { x: 200, y: 400, width: 100, height: 80 }, [10, 240, 40]),
]
const clip = await encodeH264([first, second], { width: 360, height: 640 })

const fakes = [await FakeAdbd.start(), await FakeAdbd.start()]
for (const fake of fakes) cleanup.defer(() => fake.vanish())
const [own = assert.fail(), other = assert.fail()] = fakes
const phone = new FakeScrcpy(own, first)

/** A service with a host process, but without machines on this host: its phones are the only ones. */
async function startService(): Promise<ServiceProcess> {
  const data = await temporaryFolder()
  await mkdir(join(data, 'local'), { mode: 0o700 })
  await recordFront(data, { uid: 0, gid: 0 })
  const files = {
    SANDGLASS_PHONES: {
      pools: { rack: { devices: fakes.map(({ address }) => address), reset: 'none' } },
    },
    SANDGLASS_SHAPES: { shapes: [pixel] },
    SANDGLASS_SCRCPY_SERVER: 'a server',
  }
  const env: Record<string, string> = { SANDGLASS_RATE_LIMIT: '1000000' }
  for (const [name, content] of Object.entries(files)) {
    const path = join(data, name)
    await writeFile(path, JSON.stringify(content))
    env[name] = path
  }
  return await ServiceProcess.start(data, env)
}

const service = await startService()
const credentials = await service.credentials()

async function otherTenant(): Promise<Credentials> {
  const operator = { ...credentials, apiKey: credentials.operatorKey }
  const { body } = await call(operator, 'POST', '/api/operator/organizations', { name: 'Another' })
  return { ...credentials, orgId: body.organization.id, apiKey: body.ownerKey.apiKey }
}

const [sandbox = ''] = await makeSandboxes(credentials, 1, 'pixel')
const neighbour = await otherTenant()
const [theirs = ''] = await makeSandboxes(neighbour, 1, 'pixel')

const screenshot = (tenant: Credentials, id: string) =>
  call(tenant, 'POST', `~/sandboxes/${id}/actions/execute`, { action: { type: 'screenshot' } })

/** The processes that decode the video of a phone, and their parents. */
async function decoders() {
  const found: { readonly pid: number; readonly parent: number }[] = []
  for (const { pid, parent, name } of await descendantsOf(service.pid)) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (name === 'ffmpeg' && /\0h264\0-i\0pipe:0\0/.test(command)) found.push({ pid, parent })
  }
  return found
}

test('video of a phone is decoded by a child of its worker, which ends with it however that ends; the phone goes on in another worker', async () => {
  const { body } = await call(credentials, 'GET', `~/sandboxes/${sandbox}`)
  const viewer = await enter(body.connectDetails)
  await waitFor(() => phone.video !== undefined)
  phone.begin(clip)
  phone.show(clip, 1)
  await waitFor(async () => (await decoders()).length === 1)
  const [decoder = assert.fail()] = await decoders()
  assert.ok((await workersOf(service.pid)).includes(decoder.parent))
  const { Uid = '' } = await statusOf(decoder.pid)
  assert.equal(Uid, (await statusOf(decoder.parent)).Uid)

  const opened = countOpened(own)
  process.kill(decoder.parent, 'SIGKILL')
  await waitFor(async () => (await hostProcess(decoder.pid))?.hasEnded !== false)
  await waitFor(() => opened() > 0)
  await waitFor(async () => (await screenshot(credentials, sandbox)).status === 200)
  assert.equal((await call(credentials, 'GET', `~/sandboxes/${sandbox}`)).body.sandbox.status, 'RUNNING')
  viewer.close()
})

test('a phone that floods the service fails its own calls; the front holds nothing of it, and others notice nothing', async () => {
  const front = await frontOf(service.pid)
  assert.notEqual(front, service.pid)
  const memory = await resetPeakMemory(front)
  other.behaviour = 'flooding'
  const calls = Promise.all(
    Array.from({ length: 5 }, () =>
      call(neighbour, 'POST', `~/sandboxes/${theirs}/process`, { executable: 'true' }),
    ),
  )
  let isOver = false
  void calls.then(() => {
    isOver = true
  })
  while (!isOver) assert.equal((await screenshot(credentials, sandbox)).status, 200)
  for (const { status } of await calls) assert.ok(status >= 400 && status !== 500, String(status))
  assert.ok(other.sentBytes > 8 * 1024 * 1024)
  const growth = (await peakMemory(front)) - memory
  assert.ok(growth < 200 * 1024 * 1024, `the front grew by ${Math.round(growth / 2 ** 20)} MiB`)
  assert.equal(await frontOf(service.pid), front)
})

async function statusOf(pid: number): Promise<Record<string, string>> {
  const lines = (await readFile(`/proc/${pid}/status`, 'utf8')).split('\n')
  return Object.fromEntries(lines.map(line => line.split(/:\s*/, 2)))
}

/** Counts how often the phone is opened from now on. */
function countOpened(fake: FakeAdbd): () => number {
  let opened = 0
  const { onService } = fake
  fake.onService = (service, stream) => {
    if (service.startsWith('exec:id')) opened++
    return onService(service, stream)
  }
  return () => opened
}
