import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Catalogue } from '../../modules/shapes/catalogue.ts'
import { cleanup } from '../../testing/cleanup.ts'
import { readPhonePools, requirePools } from './phone-pools.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-pools-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))

async function read(content: string | object) {
  const file = join(folder, 'phones.json')
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  return await readPhonePools(file)
}

const devices = [
  '10.0.0.5:5555',
  '[fd00::1]:5555',
  'phone-3.lab:5556',
  'adb:emulator-5554',
  'adb:10.0.0.6:5555',
  'adb:R5CT30@[::1]:5038',
]

test('a pools file is read, and a reset command has a default timeout', async () => {
  const pools = await read({
    pools: {
      rack: { devices, reset: { command: ['/opt/wipe', '-q'] } },
      lab: { devices: ['a:1'], reset: 'none' },
    },
  })
  assert.deepEqual(pools, {
    rack: { devices, reset: { command: ['/opt/wipe', '-q'], timeoutSeconds: 300 } },
    lab: { devices: ['a:1'], reset: 'none' },
  })
})

const invalid: [string | object, RegExp][] = [
  ['{', /are not valid JSON/],
  [{ pools: { rack: { devices } } }, /pools\.rack\.reset: .*write \{"command": .* or "none"/],
  [{ pools: { rack: { devices, reset: 'wipe' } } }, /pools\.rack\.reset: says how/],
  [{ pools: { rack: { devices: [], reset: 'none' } } }, /pools\.rack\.devices: names at least one device/],
  [{ pools: { rack: { devices: ['phone'], reset: 'none' } } }, /devices\.0: must be host:port/],
  [{ pools: { rack: { devices: ['a:70000'], reset: 'none' } } }, /devices\.0: must be host:port/],
  ...['adb:', 'adb:a b', 'adb:a@', 'adb:a@b', 'adb:a@b:0', 'adb:../a'].map((address): [object, RegExp] => [
    { pools: { rack: { devices: [address], reset: 'none' } } },
    /devices\.0: must be .*adb:SERIAL/,
  ]),
  [{ pools: { rack: { devices: ['a:1', 'a:1'], reset: 'none' } } }, /devices\.1: repeats a:1/],
  [{ pools: { rack: { devices, reset: 'none', rest: 1 } } }, /rest/],
  [{ pools: { Rack: { devices, reset: 'none' } } }, /Rack/],
]

for (const [content, message] of invalid)
  test(`${JSON.stringify(content)} stops the start with a message that says what is wrong`, async () => {
    await assert.rejects(read(content), message)
  })

test('the error for a missing file names the file, and the error for a missing pool names the shape', async () => {
  await assert.rejects(readPhonePools('/no/pools.json'), /\/no\/pools\.json cannot be read/)
  const file = join(folder, 'shapes.json')
  const shape = { name: 'pixel', description: 'A phone.', os: 'Android', virtualization: 'Container' }
  const size = { engine: 'adb', image: 'rack', cpus: 1, memoryMiB: 64, diskMiB: 64 }
  await writeFile(file, JSON.stringify({ shapes: [{ ...shape, ...size }] }))
  const shapes = (await Catalogue.load(file)).all()
  assert.throws(() => requirePools(shapes, {}), /The shape pixel .* set SANDGLASS_PHONES/)
  const lab = { devices, reset: 'none' } as const
  assert.throws(() => requirePools(shapes, { lab }), /The shape pixel .* that has lab\./)
  requirePools(shapes, { rack: lab })
})
