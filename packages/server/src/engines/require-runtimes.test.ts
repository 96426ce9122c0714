import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instanceKinds } from '@sandglass/machines/incus'
import { runtimeNames } from '@sandglass/machines/local'
import { Catalogue } from '../modules/shapes/catalogue.ts'
import { requireRuntimes } from './require-runtimes.ts'

test('a shape names only runtimes that its engine has', async () => {
  const [shape] = (await Catalogue.load(undefined)).all()
  assert.ok(shape)
  const check = (engine: string, runtime: 'runsc' | 'virtual-machine') => () => {
    const shapes = { all: () => [{ ...shape, name: 'one', engine, runtime }] }
    requireRuntimes(shapes, 'local', runtimeNames)
    requireRuntimes(shapes, 'incus', instanceKinds)
  }
  assert.doesNotThrow(check('local', 'runsc'))
  assert.doesNotThrow(check('incus', 'virtual-machine'))
  assert.throws(check('local', 'virtual-machine'), /shape one is virtual-machine; .* must be runc or runsc/)
  assert.throws(check('incus', 'runsc'), /must be container or virtual-machine/)
})
