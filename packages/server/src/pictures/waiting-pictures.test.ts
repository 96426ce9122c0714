import assert from 'node:assert/strict'
import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { RawFolder } from '@sandglass/workers/raw'
import { WaitingScreen } from '@sandglass/workers/testing'
import pino from 'pino'
import { Registry } from 'prom-client'
import sharp from 'sharp'
import { cleanup } from '../testing/cleanup.ts'
import { DiskStore } from './disk-store.ts'
import { parsePictureId } from './picture-id.ts'
import { PictureMetrics } from './picture-metrics.ts'
import { type Picture, Pictures } from './pictures.ts'
import type { PicturesParts } from './pictures-parts.ts'

const owner = { orgId: 'organization', sandboxId: 'sandbox' }
/** Longer than any test takes. */
const never = { quietMs: 3_600_000 }

interface World {
  readonly pictures: Pictures
  readonly screen: WaitingScreen
}

async function newRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'sandglass-waiting-'))
  cleanup.defer(() => rm(root, { recursive: true, force: true }))
  return root
}

async function open(root: string, parts: Partial<PicturesParts> = {}): Promise<World> {
  const screen = new WaitingScreen(new RawFolder(join(root, 'frames'), 'front'))
  cleanup.defer(() => screen.end())
  const pictures = new Pictures({
    store: await DiskStore.open(root),
    nodeId: 'here',
    lifeMs: 60_000,
    limits: { sandboxBytes: 1e9, organizationBytes: 1e9, nodeBytes: 1e9 },
    publicUrl: () => 'http://localhost',
    metrics: new PictureMetrics(new Registry()),
    converter: screen,
    waitingPath: join(root, 'waiting.jsonl'),
    waiting: never,
    log: pino({ enabled: false }),
    ...parts,
  })
  return { pictures, screen }
}

/** A service that will not be closed. It has finished its start, after which it deletes no files of those that follow it. */
async function openAndKill(root: string): Promise<World> {
  const world = await open(root)
  await world.pictures.sandboxIds()
  return world
}

async function take({ pictures, screen }: World, sandboxId = owner.sandboxId) {
  const capture = await screen.take()
  const picture = pictures.keep(capture, { format: 'png', owner: { ...owner, sandboxId } })
  return { picture, shown: screen.screen.colours }
}

function idOf({ url }: Picture) {
  return parsePictureId(new URL(url).pathname.replace(/^\/screenshots\/|\.png$/g, '')) ?? assert.fail()
}

async function assertShows({ pictures }: World, picture: Picture, shown: Buffer): Promise<void> {
  const id = idOf(picture)
  const taken = (await pictures.find(id)) ?? assert.fail('the picture is lost')
  const { body } = (await pictures.open(id, taken, taken.format)) ?? assert.fail()
  const bytes = Buffer.isBuffer(body) ? body : Buffer.concat(await body.toArray())
  assert.ok((await sharp(bytes).removeAlpha().raw().toBuffer()).equals(shown))
}

test('only what is fetched is encoded, and shows the screen as it was', async () => {
  const world = await open(await newRoot())
  const taken = []
  for (let count = 0; count < 12; count++) taken.push(await take(world))
  assert.deepEqual(world.screen.encoded, [])
  const third = taken[3] ?? assert.fail()
  await assertShows(world, third.picture, third.shown)
  await third.picture.stored
  assert.deepEqual(world.screen.encoded, [idOf(third.picture).text])
  await world.pictures.close()
})

test('when nothing else happens, the newest are encoded first, one after the other, and their space is free', async () => {
  const world = await open(await newRoot(), { waiting: { quietMs: 500 } })
  const taken = [await take(world)]
  const fillOfOne = world.screen.own?.fill
  while (taken.length < 4) taken.push(await take(world))
  await Promise.all(taken.map(({ picture }) => picture.stored))
  assert.deepEqual(world.screen.encoded, taken.map(({ picture }) => idOf(picture).text).reverse())
  for (const { picture, shown } of taken) await assertShows(world, picture, shown)
  // The latest frame is still there, since the next one is compared with it.
  await waitFor(() => world.screen.own?.fill === fillOfOne)
  await world.pictures.close()
})

test('when a file has little space left, its oldest are encoded', async () => {
  const world = await open(await newRoot())
  const taken = []
  for (let count = 0; count < 6; count++) taken.push(await take(world))
  const capture = await world.screen.take()
  world.pictures.keep(
    {
      ...capture,
      raw: { ...capture.raw, fill: 0.9 },
      encode: capture.encode,
      prioritize: capture.prioritize,
    },
    { format: 'png', owner },
  )
  await taken[1]?.picture.stored
  assert.deepEqual(
    world.screen.encoded,
    taken.slice(0, 2).map(({ picture }) => idOf(picture).text),
  )
  await world.pictures.close()
})

test('pictures that wait survive a killed service, a line that was written in part, and an orderly stop', async () => {
  const root = await newRoot()
  const killed = await openAndKill(root)
  const [first, second] = [await take(killed), await take(killed)]
  await appendFile(join(root, 'waiting.jsonl'), '\n{"id":"')
  const stopped = await open(root)
  const third = await take(stopped)
  await assertShows(stopped, first.picture, first.shown)
  await stopped.pictures.close()
  const last = await open(root)
  for (const { picture, shown } of [second, third, first]) await assertShows(last, picture, shown)
  assert.equal(last.screen.encoded.length, 2)
  await last.pictures.close()
})

test('files of earlier processes are deleted when nothing waits in them', async () => {
  const root = await newRoot()
  const killed = await openAndKill(root)
  const waiting = await take(killed)
  const folder = new RawFolder(join(root, 'frames'), 'front')
  folder.close(folder.open())
  const world = await open(root)
  const files = () => readdir(join(root, 'frames'))
  await waitFor(async () => (await files()).length === 2)
  await assertShows(world, waiting.picture, waiting.shown)
  await waitFor(async () => {
    await world.pictures.sweep()
    return (await files()).length === 1
  })
  assert.deepEqual(await files(), [world.screen.own?.name])
  await world.pictures.close()
})

test('pictures that wait count: the oldest are evicted, those of a deleted sandbox are gone, and so is what they occupied', async () => {
  const limits = { sandboxBytes: 1e6, organizationBytes: 1e9, nodeBytes: 1e9 }
  const world = await open(await newRoot(), { limits })
  const kept = await take(world, 'modest')
  const taken: Awaited<ReturnType<typeof take>>[] = []
  for (let count = 0; count < 20; count++) taken.push(await take(world))
  await waitFor(async () => taken[0]?.picture.isEvicted === true)
  const [first, last] = [taken[0] ?? assert.fail(), taken.at(-1) ?? assert.fail()]
  assert.equal(await world.pictures.find(idOf(first.picture)), undefined)
  await assertShows(world, last.picture, last.shown)
  await last.picture.stored
  assert.ok(taken.filter(({ picture }) => !picture.isEvicted).length <= 8)
  const fill = world.screen.own?.fill ?? 0
  await world.pictures.deleteSandbox(owner.sandboxId)
  for (const { picture } of taken) assert.equal(await world.pictures.find(idOf(picture)), undefined)
  assert.ok((world.screen.own?.fill ?? 1) < fill)
  await assertShows(world, kept.picture, kept.shown)
  await world.pictures.close()
})

test('a picture that waits expires', async t => {
  const world = await open(await newRoot())
  const { picture } = await take(world)
  t.mock.method(world.pictures, 'now', () => Date.now() + 61_000)
  await world.pictures.sweep()
  assert.equal(await world.pictures.find(idOf(picture)), undefined)
  await picture.stored
  assert.deepEqual(world.screen.encoded, [])
  await world.pictures.close()
})
