import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FreshPictures } from './fresh-pictures.ts'

const picture = (bytes: number) =>
  ({ name: { hash: 'h', format: 'webp' }, body: Buffer.alloc(bytes) }) as const

test('the newest pictures are kept, as many as fit', () => {
  const fresh = new FreshPictures(100)
  for (const id of ['a', 'b', 'c']) fresh.add(id, picture(40))
  assert.deepEqual(
    ['a', 'b', 'c'].map(id => fresh.get(id) !== undefined),
    [false, true, true],
  )
  fresh.delete('b')
  fresh.delete('b')
  fresh.add('d', picture(60))
  assert.deepEqual(
    ['c', 'd'].map(id => fresh.get(id)?.body.length),
    [40, 60],
  )
})

test('a picture that is larger than the limit is not kept', () => {
  const fresh = new FreshPictures(100)
  fresh.add('a', picture(101))
  assert.equal(fresh.get('a'), undefined)
})
