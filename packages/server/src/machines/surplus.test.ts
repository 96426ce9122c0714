import assert from 'node:assert/strict'
import { test } from 'node:test'
import { surplusOf } from './surplus.ts'

const machine = (id: string, image_id: string | null = null, shape_name = 'small') => ({
  id,
  shape_name,
  image_id,
})

test('a pool that has what is wanted has no surplus', () => {
  const ready = [machine('a'), machine('b', 'image')]
  const wanted = [
    { shapeName: 'small', warm: 2 },
    { shapeName: 'small', imageId: 'image', warm: 1 },
  ]
  assert.deepEqual(surplusOf(ready, wanted), [])
})

test('if fewer are wanted, the newest are the surplus', () => {
  const ready = [machine('oldest', 'image'), machine('older', 'image'), machine('newest', 'image')]
  assert.deepEqual(surplusOf(ready, [{ shapeName: 'small', imageId: 'image', warm: 1 }]), ['older', 'newest'])
})

test('machines of an image, of its shape and of other images are counted apart', () => {
  const ready = [machine('a', 'image'), machine('b', 'other'), machine('c'), machine('d', null, 'large')]
  assert.deepEqual(surplusOf(ready, [{ shapeName: 'small', warm: 9 }]), ['a', 'b', 'd'])
  assert.deepEqual(surplusOf(ready, [{ shapeName: 'small', imageId: 'image', warm: 9 }]), ['b', 'c', 'd'])
})

test('where nothing is wanted, everything is surplus', () => {
  assert.deepEqual(surplusOf([machine('a'), machine('b', 'image')], []), ['a', 'b'])
})
