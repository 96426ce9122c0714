import assert from 'node:assert/strict'
import { test } from 'node:test'
import { preparedKey, specKey } from './instance.ts'
import { InstanceNames } from './instance-names.ts'

const spec = { id: 'a', image: 'minimal', cpus: 1, memoryMiB: 1, pids: 1, diskMiB: 1 }
const prepared = (config: Record<string, string>) => ({
  name: 'p-1',
  status: 'Running',
  location: 'one',
  architecture: 'x86_64',
  config,
})

test('a machine has the instance of its name, unless it was prepared, which Incus says while its member is there', () => {
  const names = new InstanceNames()
  names.seen(prepared({ [preparedKey]: '{}' }))
  assert.deepEqual([names.of('a'), names.idOf('p-1'), names.idOf('m-b')], ['m-a', undefined, 'b'])
  names.seen(prepared({ [specKey]: JSON.stringify(spec) }))
  names.seen(prepared({}))
  assert.deepEqual([names.of('a'), names.ofHandle('a'), names.idOf('p-1')], ['p-1', 'p-1', 'a'])
})

test('an instance that is gone is forgotten, also if it was seen while it was being removed', () => {
  const names = new InstanceNames()
  names.set('a', 'p-1')
  names.drop('a')
  names.seen(prepared({ [specKey]: JSON.stringify(spec) }))
  names.gone('p-1')
  assert.deepEqual([names.of('a'), names.ofHandle('a'), names.idOf('p-1')], ['m-a', undefined, undefined])
})

test('a handle may name an instance that another process has replaced since', () => {
  const names = new InstanceNames()
  names.told('a', 'p-1')
  assert.equal(names.of('a'), 'p-1')
  assert.ok(names.isOutdated('a'))
  names.told('a', 'p-1')
  assert.deepEqual([names.of('a'), names.isOutdated('a')], ['m-a', false])
})
