import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Damage } from '../contract/screen.ts'
import { DamageLog } from './damage-log.ts'

const side = fc.integer({ min: 1, max: 200 })
const place = fc.integer({ min: 0, max: 1000 })
const rect = fc.record({ x: place, y: place, width: side, height: side })

test('every change lies in one of the few rectangles that are reported', () => {
  fc.assert(
    fc.property(fc.array(rect, { maxLength: 200 }), rects => {
      const log = new DamageLog()
      for (const each of rects) log.add([each])
      const reported = log.take()
      assert.ok(reported.length <= 32)
      for (const { x, y, width, height } of rects)
        assert.ok(
          reported.some(
            by => by.x <= x && by.y <= y && by.x + by.width >= x + width && by.y + by.height >= y + height,
          ),
        )
      assert.deepEqual(log.take(), [])
    }),
  )
})

test('changes that are far apart are not merged', () => {
  const log = new DamageLog()
  const corners = [
    { x: 0, y: 0, width: 10, height: 10 },
    { x: 1000, y: 700, width: 10, height: 10 },
  ]
  log.add(corners)
  assert.deepEqual(log.take(), corners)
})

test('the origin of a copy is not part of the log', () => {
  const log = new DamageLog()
  const area = { x: 0, y: 0, width: 10, height: 10 }
  const copy: Damage = { ...area, from: { x: 5, y: 5 } }
  log.add([copy])
  assert.deepEqual(log.take(), [area])
})

test('a report of very many rectangles is merged as it is read', () => {
  const log = new DamageLog()
  let compared = 0
  const far = (n: number) => ({
    get x() {
      compared++
      return 7 * (n % 1000)
    },
    y: 7 * Math.floor(n / 1000),
    width: 1,
    height: 1,
  })
  log.add(Array.from({ length: 20_000 }, (_, n) => far(n)))
  assert.ok(log.take().length <= 32)
  assert.ok(compared < 20_000 * 33 * 5, `${compared} comparisons`)
})
