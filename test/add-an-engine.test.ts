import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reports } from '@sandglass/machines/conformance'
import { checkEngines } from '../packages/server/src/engines/check-engines.ts'
import { setUpEngines } from '../packages/server/src/engines/registry.ts'
import { Catalogue } from '../packages/server/src/modules/shapes/catalogue.ts'
import { readSettings } from '../packages/server/src/settings.ts'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { Cluster, engines, machineOf } from './support/folder-engine/cluster.ts'
import { FolderEngine } from './support/folder-engine/folder-engine.ts'

// The engine consists of the folder support/folder-engine, whose cluster.ts registers it in one line.
const cluster = await Cluster.make()
await cluster.begin()
const spec = () => ({
  id: `m-${crypto.randomUUID().slice(0, 8)}`,
  image: 'paper',
  cpus: 1,
  memoryMiB: 64,
  diskMiB: 64,
  pids: 32,
})

test('the setting of an engine exists once the engine is registered', () => {
  assert.throws(() => readSettings(cluster.env), /^SettingError: SANDGLASS_TEST_CLUSTER is not a setting/)
  const setups = setUpEngines(cluster.env, readSettings(cluster.env, engines), engines)
  assert.equal(setups.find(({ name }) => name === 'folder')?.disabled, undefined)
  const [unset] = setUpEngines({}, readSettings({}, engines), engines.slice(-1))
  assert.match(unset?.disabled ?? '', /SANDGLASS_TEST_CLUSTER is not set/)
})

test('a sandbox can be created with a shape of the engine', async () => {
  const service = await cluster.serve()
  const id = await makeSandbox(service)
  const engine = new FolderEngine(cluster.path)
  const [listed] = await engine.list()
  await engine.close()
  assert.equal(listed?.id, await machineOf(service, id))
  assert.equal((await service.delete(`~/sandboxes/${id}`)).status, 200)
})

test('doctor checks the engine, and reports which engines are disabled', async () => {
  const setups = setUpEngines(cluster.env, readSettings(cluster.env, engines), engines)
  const checks = await checkEngines(setups, await Catalogue.load(cluster.env.SANDGLASS_SHAPES))
  const found = Object.fromEntries(checks.map(({ name, result }) => [name, result]))
  assert.deepEqual(found, {
    'engine adb': 'ok',
    'engine incus': 'ok',
    'engine local': 'ok',
    'engine qemu': 'ok',
    cluster: 'ok',
  })
})

test('the engine passes the reporting part of the conformance suite', async context => {
  const engine = new FolderEngine(cluster.path)
  const handle = await engine.create(spec())
  const machine = await engine.open(handle)
  context.after(() => engine.close())
  const partition = ({ state }: typeof handle) => cluster.cut(String(state))
  reports(() => ({ subject: { spec, partition }, engine, handle, machine }))
})
