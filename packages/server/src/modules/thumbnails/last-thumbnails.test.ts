import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LastThumbnails } from './last-thumbnails.ts'

const picture = (tag: string, length = 10) => ({ tag, body: Buffer.alloc(length) })

test('the last picture of each width is known, and one of another width if there is none', () => {
  const last = new LastThumbnails()
  assert.equal(last.nearest('a', 320), undefined)
  last.add('a', 100, picture('small'))
  last.add('a', 200, picture('larger'))
  last.add('a', 100, picture('newer'))
  assert.equal(last.get('a', 100)?.tag, 'newer')
  assert.equal(last.get('a', 320), undefined)
  assert.equal(last.nearest('a', 200)?.tag, 'larger')
  assert.equal(last.nearest('a', 320)?.tag, 'newer')
  assert.equal(last.nearest('b', 100), undefined)
})

test('the pictures of the sandboxes that nobody has seen for longest are dropped when the memory is full', () => {
  const last = new LastThumbnails(100)
  last.add('a', 320, picture('a', 40))
  last.add('b', 320, picture('b', 40))
  last.add('a', 320, picture('newer', 30))
  last.add('c', 320, picture('c', 40))
  assert.deepEqual(last.sandboxIds, ['a', 'c'])
  last.forget('a')
  last.add('d', 320, picture('d', 60))
  assert.deepEqual(last.sandboxIds, ['c', 'd'])
  last.add('e', 320, picture('e', 500))
  assert.deepEqual(last.sandboxIds, [])
})
