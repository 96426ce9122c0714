import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Mirror } from './mirror.ts'

const size = { width: 80, height: 60 }

/** Every pixel is different. */
function numbered(): Mirror {
  const mirror = new Mirror(size)
  for (const at of mirror.words.keys()) mirror.words[at] = at | 0xff000000
  return mirror
}

test('only those rows of a move are applied that bring the mirror closer to the screen', () => {
  const [mirror, screen] = [numbered(), numbered()]
  screen.move({ area: { x: 10, y: 20, width: 50, height: 30 }, from: { x: 12, y: 25 } })
  const told = { area: { x: 10, y: 5, width: 50, height: 50 }, from: { x: 12, y: 10 } }
  assert.deepEqual(mirror.bestRowsOf(told, screen), {
    area: { x: 10, y: 20, width: 50, height: 30 },
    from: { x: 12, y: 25 },
  })
})

test('a move that did not happen is not applied', () => {
  const move = { area: { x: 0, y: 0, width: 80, height: 40 }, from: { x: 0, y: 20 } }
  assert.equal(numbered().bestRowsOf(move, numbered()), undefined)
})
