import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import sharp from 'sharp'
import { LiveDesktop } from '../../testing/live-desktop.ts'
import { runningSandbox } from '../../testing/sandbox-programs.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const { service } = await startMachineService()
const { db } = service.pool
const sandbox = await runningSandbox(service)
const desktop = new LiveDesktop(service, sandbox)

interface Rect {
  readonly width: number
  readonly height: number
}

interface Answered {
  readonly status: number
  readonly tag: string
  readonly body: Buffer
  readonly headers: Headers
}

interface Asked {
  readonly known?: string
  readonly query?: string
  readonly headers?: Record<string, string>
}

async function thumbnail(path: string, { known, query = '', headers }: Asked = {}): Promise<Answered> {
  const response = await fetch(service.service.url + service.expand(`${path}/thumbnail${query}`), {
    headers: {
      ...(headers ?? { 'x-api-key': service.service.credentials.apiKey }),
      ...(known !== undefined && { 'if-none-match': known }),
    },
  })
  const { status } = response
  return {
    status,
    tag: response.headers.get('etag') ?? '',
    body: Buffer.from(await response.arrayBuffer()),
    headers: response.headers,
  }
}

const codeOf = ({ status, body }: Answered) => [status, JSON.parse(body.toString()).code]

async function colourOf(path: string): Promise<string> {
  const { status, body } = await thumbnail(path)
  assert.equal(status, 200, body.toString())
  const { data } = await sharp(body).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return data.subarray(0, 3).toString('hex')
}

async function paintAndSee(colour: string): Promise<void> {
  await desktop.paint(colour)
  await waitFor(async () => (await colourOf(sandbox)) === colour)
}

test('a thumbnail shows the screen in the wanted width, and follows what changes', async () => {
  for (const colour of ['336699', '993366']) await paintAndSee(colour)
  const { headers, body, tag } = await thumbnail(sandbox)
  assert.equal(headers.get('content-type'), 'image/webp')
  assert.equal(headers.get('cache-control'), 'private, no-cache')
  assert.match(tag, /^"[\w-]+"$/)
  const sizeOf = async (picture: Buffer) => {
    const { format, width, height } = await sharp(picture).metadata()
    return [format, width, height]
  }
  assert.deepEqual(await sizeOf(body), ['webp', 320, 180])
  assert.deepEqual(await sizeOf((await thumbnail(sandbox, { query: '?width=64' })).body), ['webp', 64, 36])
  for (const width of ['63', '641', 'wide', '100.5'])
    assert.deepEqual(codeOf(await thumbnail(sandbox, { query: `?width=${width}` })), [400, 'request.INVALID'])
})

test('a screen at rest is a 304 for those who have its picture, also for several of them', async () => {
  let known = ''
  await waitFor(async () => {
    known = (await thumbnail(sandbox)).tag
    const answers = await Promise.all(Array.from({ length: 10 }, () => thumbnail(sandbox, { known })))
    return answers.every(({ status, body, tag }) => status === 304 && body.length === 0 && tag === known)
  })
  assert.equal((await thumbnail(sandbox, { known: '"another"' })).status, 200)
  await desktop.paint('112233')
  await waitFor(async () => (await thumbnail(sandbox, { known })).status === 200)
})

test('a thumbnail does not change what an action reports as changed, nor its screenshot', async () => {
  const look = async () => {
    const { status, body, text } = await service.post(`${sandbox}/actions/batch`, {
      actions: [{ type: 'wait', duration: 1 }],
    })
    assert.equal(status, 200, text)
    return body
  }
  await waitFor(async () => (await look()).changed.length === 0)
  await paintAndSee('445566')
  const { changed, screenShot } = await look()
  const covered = changed.reduce((sum: number, { width, height }: Rect) => sum + width * height, 0)
  assert.ok(covered >= 1280 * 720 * 0.9, JSON.stringify(changed))
  const picture = Buffer.from(await (await fetch(screenShot)).arrayBuffer())
  const pixels = await sharp(picture).removeAlpha().raw().toBuffer()
  assert.equal(pixels.subarray(0, 3).toString('hex'), '445566')
})

test('viewers and trial sessions see thumbnails of their sandboxes, and nobody else does', async () => {
  const viewer = { 'x-api-key': await service.keyOf('viewer') }
  assert.equal((await thumbnail(sandbox, { headers: viewer })).status, 200)
  const { body: trial } = await service.post('~/trial-tokens', { shapeNames: ['small'] })
  const token = { 'x-trial-session-token': trial.trialToken }
  assert.deepEqual(codeOf(await thumbnail(sandbox, { headers: token })), [404, 'sandbox.NOT_FOUND'])
  const own = await service.post('~/sandboxes?wait=60', { shapeName: 'small' }, { key: null, headers: token })
  const ownPath = `~/sandboxes/${own.body.id}`
  await waitFor(async () => (await thumbnail(ownPath, { headers: token })).status === 200)
  await service.remove(ownPath)
  const { apiKey, orgId } = await service.otherOrganization()
  const stranger = sandbox.replace('~', `/api/orgs/${orgId}`)
  assert.deepEqual(codeOf(await thumbnail(stranger, { headers: { 'x-api-key': apiKey } })), [
    404,
    'sandbox.NOT_FOUND',
  ])
  assert.deepEqual(codeOf(await thumbnail('~/sandboxes/absent')), [404, 'sandbox.NOT_FOUND'])
})

test('a thumbnail does not count as use of a sandbox', async () => {
  const idle = await runningSandbox(service, { idleSeconds: 3600 })
  const id = idle.replace('~/sandboxes/', '')
  await sql`UPDATE sandboxes SET idle_at = now() + interval '60 seconds' WHERE id = ${id}`.execute(db)
  for (let times = 0; times < 5; times++) assert.equal((await thumbnail(idle)).status, 200)
  for (const path of ['shell', 'live/viewers', 'apps'])
    assert.equal((await service.get(`${idle}/${path}`)).status, 200)
  // What counts as use is recorded in order, so this is recorded after the thumbnails would have been.
  assert.equal((await service.post(`${sandbox}/process`, { executable: 'true' })).status, 200)
  const { idle_at: idleAt } = await db
    .selectFrom('sandboxes')
    .select('idle_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  assert.ok(Number(idleAt) < Date.now() + 120_000)
  await service.remove(idle)
})

test('a sandbox that sleeps is not woken: its last picture is shown, or the reason why there is none', async () => {
  const asleep = await runningSandbox(service, { lifecycle: { autoResume: true } })
  const unseen = await runningSandbox(service, { lifecycle: { autoResume: true } })
  assert.equal((await thumbnail(asleep)).status, 200)
  for (const path of [asleep, unseen]) assert.equal((await service.post(`${path}/pause`)).status, 200)
  const { tag: known, status } = await thumbnail(asleep)
  assert.equal(status, 200)
  assert.equal((await thumbnail(asleep, { known })).status, 304)
  assert.equal((await thumbnail(asleep, { query: '?width=100' })).status, 200)
  const refused = await thumbnail(unseen)
  assert.deepEqual(codeOf(refused), [409, 'sandbox.STATE'])
  assert.match(refused.body.toString(), /The sandbox is STOPPED. There is no picture of it./)
  assert.equal((await service.post(`${asleep}/hibernate`)).status, 200)
  assert.equal((await thumbnail(asleep)).tag, known)
  for (const path of [asleep, unseen])
    assert.equal((await service.get(`${path}/status`)).body.status, 'STOPPED')
  await service.post(`${unseen}/resume`)
  await waitFor(async () => (await thumbnail(unseen)).status === 200)
  for (const path of [asleep, unseen]) await service.remove(path)
})
