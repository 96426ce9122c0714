import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Sandbox } from '@sandglass/client'
import type { EngineMember } from '@sandglass/machines/contract'
import { patienceMs, waitFor } from '@sandglass/machines/testing'
import type { IncusEngine } from '../packages/machines/src/engines/incus/index.ts'
import { type TestIncus, testIncus } from '../packages/machines/src/engines/incus/test-engine.ts'
import { readyMachines } from '../packages/server/src/records/machines.ts'
import { enginesOf } from '../packages/server/src/testing/engines-of.ts'
import { viewerOf } from '../packages/server/src/testing/live-viewer.ts'
import { startTestService, type TestService } from '../packages/server/src/testing/test-service.ts'
import { workersOf } from '../packages/server/src/testing/workers-of.ts'
import { clusterShape } from './support/cluster-shape.ts'
import { machineOf } from './support/folder-engine/cluster.ts'
import { nodeIdIn } from './support/nodes.ts'

/** As many as there are members, so that each has one. */
const warm = 3
const returnKey = 0xff0d

describe('a service on a cluster', () => {
  let tested: TestIncus
  let folder: string
  let service: TestService
  let box: Sandbox
  let engine: IncusEngine

  before(async () => {
    tested = await testIncus()
    folder = await mkdtemp(join(tmpdir(), 'sandglass-cluster-shapes-'))
    const shapes = join(folder, 'shapes.json')
    await writeFile(
      shapes,
      JSON.stringify({ shapes: [clusterShape, { ...clusterShape, name: 'warm', warm }] }),
    )
    engine = await tested.openNamed(2)
    service = await startTestService(
      { SANDGLASS_SHAPES: shapes },
      async () => enginesOf(engine),
      undefined,
      workersOf,
    )
    const { client } = service
    box = await Sandbox.create({ client, shape: 'cluster' }, { timeoutMs: patienceMs })
  })
  after(async () => {
    await service?.service.close()
    await rm(folder, { recursive: true, force: true })
    await tested?.dispose()
  })

  /** The member of each machine that the cluster has, by the id of the machine. */
  const members = async () =>
    new Map((await engine.list()).map(({ id, member }) => [id, member ?? assert.fail('it has none')]))
  const memberOf = async ({ id }: Sandbox) => {
    const machine = await machineOf(service, id)
    return (await members()).get(machine) ?? assert.fail(`the cluster does not have ${machine}`)
  }
  /** The machines of the pool, those of a shape or of an image. */
  const pooled = async (kind: { readonly shape_name: string } | { readonly image_id: string }) =>
    (await readyMachines(service.pool.db, await nodeIdIn(service.folder)))
      .filter(one =>
        'image_id' in kind ? one.image_id === kind.image_id : one.shape_name === kind.shape_name,
      )
      .map(({ id }) => id)
  const areOnSeveral = async (machines: readonly string[]) => {
    const all = await members()
    const places = machines.map(id => all.get(id))
    assert.ok(new Set(places).size > 1, places.join())
  }

  it('runs programs, keeps files, and shows a click', async () => {
    assert.match((await box.run('id -un; nproc')).stdout, /^user\n/)
    await box.files.write('kept.txt', 'kept')
    assert.equal(await box.files.readText('kept.txt'), 'kept')
    const before = await box.screenshot()
    await box.mouse.click(640, 360, { button: 'right' })
    await waitFor(async () => !Buffer.from((await box.screenshot()).bytes).equals(Buffer.from(before.bytes)))
  })

  it('pauses and resumes a machine, and restarts it with its files', async () => {
    await box.pause()
    await box.resume()
    assert.equal((await box.run('cat kept.txt')).stdout, 'kept')
    await box.restart({ timeoutMs: patienceMs })
    assert.equal((await box.run('cat kept.txt')).stdout, 'kept')
  })

  it('shows its screen to viewers, and lets them type', async () => {
    const xterm = 'xterm -bg red -fg red -geometry 80x20+100+100 -e "cat > typed" > /dev/null 2>&1 &'
    await box.run(xterm)
    const ada = await viewerOf(service, `~/sandboxes/${box.id}`)
    await ada.until(() => {
      const [red = 0, green = 0, blue = 0] = ada.canvas?.rgba.subarray((200 * 1280 + 300) * 4) ?? []
      return red > 200 && green < 60 && blue < 60
    })
    await ada.takeControl()
    // The window may not have the focus at first.
    await waitFor(async () => {
      for (const keysym of [0x6b, returnKey])
        for (const isDown of [true, false]) ada.do({ type: 'key', keysym, isDown })
      return (await box.files.readText('typed')).includes('k')
    })
    ada.close()
    await box.run('pkill xterm')
  })

  it('goes back to a snapshot, and is forked with its files', async () => {
    const path = `~/sandboxes/${box.id}`
    const { status, body, text } = await service.post(`${path}/snapshots`, { name: 'before' })
    assert.deepEqual([status, body.status], [200, 'READY'], text)
    await box.files.write('kept.txt', 'changed')
    const fork = await box.fork({ timeoutMs: patienceMs })
    assert.equal((await fork.run('cat kept.txt; echo fork > kept.txt')).stdout, 'changed')
    const restored = await service.post(`${path}/restore`, { snapshotId: body.id })
    assert.equal(restored.status, 200, restored.text)
    assert.equal((await box.run('cat kept.txt')).stdout, 'kept')
    assert.equal((await fork.run('cat kept.txt')).stdout, 'fork\n')
    await fork.delete()
  })

  it('keeps machines of an image ready on several members, with its files', async () => {
    const saved = await service.post('~/machine-images', { sandboxId: box.id, name: 'mine' })
    assert.equal(saved.body.status, 'READY', saved.text)
    const imageId: string = saved.body.id
    const setWarm = (count: number) =>
      service.operator('PATCH', `/api/operator/machine-images/${imageId}`, { warm: count })
    // Machines of shapes take turns with those of images.
    await waitFor(async () => (await pooled({ shape_name: 'warm' })).length === warm)
    assert.equal((await setWarm(2)).status, 200)
    await waitFor(async () => (await pooled({ image_id: imageId })).length === 2)
    const ready = await pooled({ image_id: imageId })
    await areOnSeveral(ready)
    for (const name of ['first', 'second']) {
      const { body, text } = await service.post('~/sandboxes/from-image', {
        imageId,
        name,
        maxLifeSeconds: 600,
      })
      assert.equal(body.sandbox.status, 'RUNNING', text)
      const copy = Sandbox.connect(body.sandbox.id, { client: service.client })
      assert.ok(ready.includes(await machineOf(service, copy.id)))
      assert.equal((await copy.run('cat kept.txt')).stdout, 'kept')
      await copy.delete()
    }
    assert.equal((await setWarm(0)).status, 200)
  })

  it('refuses volumes, memory in snapshots, and names in egress lists', async () => {
    const refusal = async (path: string, json: object) => {
      const { status, body } = await service.post(path, json)
      return [status, body.code]
    }
    const egress = [{ host: 'example.com' }]
    assert.deepEqual(await refusal('~/sandboxes', { shape: 'cluster', egress }), [400, 'request.INVALID'])
    assert.deepEqual(await refusal('~/volumes', { name: 'data', sizeMiB: 64 }), [409, 'volume.UNSUPPORTED'])
    const memory = { name: 'now', memory: true }
    assert.deepEqual(await refusal(`~/sandboxes/${box.id}/snapshots`, memory), [409, 'snapshot.NO_MEMORY'])
  })

  it('shows the members with their machines', async () => {
    const { body } = await service.operator('GET', '/api/operator/nodes')
    assert.deepEqual(
      body[0].members.map(({ name, status }: EngineMember) => [name, status]),
      [
        ['member1', 'online'],
        ['member2', 'online'],
        ['member3', 'online'],
      ],
      JSON.stringify(body),
    )
  })

  it('has a pool on several members, from which sandboxes run at once, and which survives the loss of a member', async () => {
    const kind = { shape_name: 'warm' }
    await waitFor(async () => (await pooled(kind)).length === warm)
    const ready = await pooled(kind)
    await areOnSeveral(ready)
    const claim = async () => {
      const { id, status } = await service.client.createSandbox({ body: { shapeName: 'warm' } })
      assert.equal(status, 'RUNNING')
      assert.ok(ready.includes(await machineOf(service, id)))
      const claimed = Sandbox.connect(id, { client: service.client })
      assert.match((await claimed.run('id -un')).stdout, /^user/)
      return claimed
    }
    const claimed = [await claim(), await claim(), await claim()]
    await waitFor(async () => (await pooled(kind)).length === warm)

    // The service talks to the last member, so that one cannot be lost.
    const places = await Promise.all(claimed.map(memberOf))
    const lost = places.find(name => name !== 'member3') ?? assert.fail(places.join())
    const unlucky = claimed[places.indexOf(lost)] ?? assert.fail()
    const gone = (await members()).entries().filter(([, member]) => member === lost)
    const goneIds = new Set(gone.map(([id]) => id))
    const member = tested.cluster.member(lost)
    await member.kill()
    const look = async () => (await service.client.getSandbox({ sandboxId: unlucky.id })).sandbox
    await waitFor(async () => (await look()).status === 'ERROR')
    assert.match((await look()).reason ?? '', new RegExp(`member ${lost} of the cluster is gone`))
    await waitFor(async () => {
      const now = await pooled(kind)
      return now.length === warm && !now.some(id => goneIds.has(id))
    })
    for (const one of [...claimed, box]) await one.delete()
    await member.boot()
    // What was deleted meanwhile, and what the pool had there, is removed.
    await waitFor(async () => {
      const listed = await engine.list().catch(() => undefined)
      return listed?.every(({ id }) => !goneIds.has(id)) ?? false
    })
  })
})
