import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ListedShape } from '@sandglass/protocol'
import { z } from 'zod'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import { localRuntimes } from '../../engines/local/prepare-images.ts'
import { noChoices, specOf } from '../../machines/spec.ts'
import { startTestService } from '../../testing/test-service.ts'
import { Catalogue, publicShape } from './catalogue.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-shapes-'))
after(() => rm(folder, { recursive: true }))

const shape = {
  name: 'one',
  description: 'A shape.',
  os: 'Linux',
  virtualization: 'Container',
  engine: 'local',
  image: 'desktop',
  cpus: 1,
  memoryMiB: 512,
  diskMiB: 1024,
}

async function load(content: unknown): Promise<Catalogue> {
  const file = join(folder, 'shapes.json')
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  return Catalogue.load(file)
}

function member(planTier: number, ...featureFlags: string[]): OrganizationPrincipal {
  return {
    kind: 'apiKey',
    id: 'k',
    role: 'owner',
    expiresAt: null,
    organization: { id: 'o', planTier, featureFlags },
  }
}

test('shapes are listed in the form that published clients read', async () => {
  const service = await startTestService()
  const { status, body } = await service.get('~/shapes')
  assert.equal(status, 200)
  const shapes = z.array(ListedShape.strict()).parse(body)
  assert.ok(shapes.length >= 1)
  assert.equal(typeof shapes[0]?.pricePerHour, 'string')
})

test('the simulated phone is listed as Android, and as simulated', async () => {
  const catalogue = await Catalogue.load(undefined)
  const listed = (name: string) => {
    const { os, simulated } = publicShape(catalogue.find(name), name)
    return [os, simulated]
  }
  assert.deepEqual(listed('phone-simulator'), ['Android', true])
  assert.deepEqual(listed('linux-desktop'), ['Linux', undefined])
})

test("a shape above the organization's plan is listed but refused", async () => {
  const catalogue = await load({ shapes: [{ ...shape, requiredPlanTier: 3 }] })
  assert.equal(catalogue.visibleTo(member(2)).length, 1)
  assert.throws(() => catalogue.require('one', member(2)), { code: 'shape.PLAN_TOO_LOW' })
  assert.equal(catalogue.require('one', member(3)).name, 'one')
})

test('a shape with a feature flag does not exist for organizations without the flag', async () => {
  const catalogue = await load({ shapes: [shape, { ...shape, name: 'secret', requiredFeatureFlag: 'beta' }] })
  assert.deepEqual(
    catalogue.visibleTo(member(9)).map(({ name }) => name),
    ['one'],
  )
  assert.throws(() => catalogue.require('secret', member(9)), { code: 'shape.NOT_FOUND', status: 400 })
  assert.equal(catalogue.require('secret', member(9, 'beta')).name, 'secret')
})

test('a shape chooses the wall around its machines, and whether sudo works in them', async () => {
  const strict = { ...shape, name: 'strict', runtime: 'runsc', sudo: false }
  const catalogue = await load({ shapes: [shape, strict] })
  const [plain, hardened] = catalogue.all().map(each => specOf(each, noChoices))
  assert.deepEqual([plain?.runtime, plain?.sudo], [undefined, undefined])
  assert.deepEqual([hardened?.runtime, hardened?.sudo], ['runsc', false])
  assert.deepEqual(localRuntimes(catalogue), ['runsc'])
  await assert.rejects(load({ shapes: [{ ...shape, runtime: 'glass' }] }), /runtime: must be runc or runsc/)
})

const offered = {
  name: 'windows-11',
  description: 'Windows.',
  os: 'Windows',
  virtualization: 'KVM',
  image: 'windows-11',
  cpus: 2,
  memoryMiB: 4096,
  diskMiB: 65536,
} as const

test('an engine adds shapes to the catalogue and takes them back, and a note to the description of its own', async () => {
  const vm = { ...shape, name: 'vm', engine: 'qemu', virtualization: 'KVM' }
  const catalogue = await load({ shapes: [shape, vm] })
  catalogue.offer('qemu', { note: 'It is slow.', shapes: [offered] })
  const described = () => catalogue.all().map(({ name, engine, description }) => [name, engine, description])
  assert.deepEqual(described(), [
    ['one', 'local', 'A shape.'],
    ['vm', 'qemu', 'A shape. It is slow.'],
    ['windows-11', 'qemu', 'Windows.'],
  ])
  const { os, pricePerHour, warm } = catalogue.require('windows-11', member(0))
  assert.deepEqual([os, pricePerHour, warm], ['Windows', 1, 0])
  catalogue.offer('qemu', { shapes: [] })
  assert.deepEqual(described(), [
    ['one', 'local', 'A shape.'],
    ['vm', 'qemu', 'A shape.'],
  ])
})

test('what the catalogue names itself is not added again, and neither is what is not a shape', async () => {
  const named = { ...shape, name: 'my-windows', engine: 'qemu', image: 'windows-11' }
  const catalogue = await load({ shapes: [shape, named] })
  catalogue.offer('qemu', {
    shapes: [offered, { ...offered, name: 'one', image: 'another' }, { ...offered, name: 'A B', image: 'c' }],
  })
  assert.deepEqual(
    catalogue.all().map(({ name }) => name),
    ['one', 'my-windows'],
  )
})

test('the shapes of an engine that no node uses are not listed, and stay known', async () => {
  const catalogue = await load({ shapes: [shape, { ...shape, name: 'vm', engine: 'qemu' }] })
  const listed = () => catalogue.visibleTo(member(0)).map(({ name }) => name)
  assert.deepEqual(listed(), ['one', 'vm'], 'nothing is known about engines')
  catalogue.showEngines(['local'])
  assert.deepEqual(listed(), ['one'])
  // A create is answered with the reason, which says what to do.
  assert.equal(catalogue.require('vm', member(0)).engine, 'qemu')
  assert.throws(() => catalogue.require('two', member(0)), /the available shapes are one\./)
  catalogue.showEngines(['local', 'qemu'])
  assert.deepEqual(listed(), ['one', 'vm'])
})

test('an invalid catalogue is refused with a description of the problem', async () => {
  await assert.rejects(load('{'), /shapes\.json is not JSON/)
  await assert.rejects(load({ shapes: [] }), /is not valid: shapes/)
  await assert.rejects(load({ shapes: [shape, shape] }), /shapes\.1\.name: repeats the shape one/)
  await assert.rejects(load({ shapes: [{ ...shape, memoryMiB: 'lots' }] }), /shapes\.0\.memoryMiB/)
  await assert.rejects(Catalogue.load(join(folder, 'absent.json')), /cannot be read/)
})
