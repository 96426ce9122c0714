import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rect } from '../../contract/rect.ts'
import type { UiElement } from '../../contract/ui-tree.ts'
import { findElement } from './find-element.ts'
import { coveringElement, middleOf, visiblePart } from './visible-part.ts'

const size = { width: 720, height: 1280 }
const whole = { x: 0, y: 0, ...size }

function made(path: string, role: string, bounds: Rect, more: Partial<UiElement> = {}): UiElement {
  const depth = path.split('/').length - 1
  return { path, role, bounds, depth, name: '', text: '', states: [], actions: [], ...more }
}

const place = { x: 100, y: 100, width: 200, height: 50 }
const button = made('0/0', 'button', place, { name: 'Send', actions: ['click'] })
const coverOf = (...others: UiElement[]) => coveringElement(button, middleOf(place), [button, ...others])

test('an element is found by its path or id, and only if role, name and text match', () => {
  const [first, second] = ['0/1', '0/2'].map(path =>
    made(path, 'button', place, { id: 'a:id/b', name: 'Pay' }),
  )
  assert.ok(first && second)
  assert.equal(findElement({ path: '0/2', role: 'button', name: 'Pay' }, [first, second]), second)
  assert.equal(findElement({ id: 'a:id/b', role: 'button', name: 'Pay' }, [button, first]), first)
  const refused = (name: Parameters<typeof findElement>[0], message: RegExp) =>
    assert.throws(() => findElement(name, [button, first, second]), { code: 'MISMATCH', message })
  refused({ id: 'a:id/b', role: 'button', name: 'Pay' }, /2 elements are .* of 0\/1, 0\/2/)
  refused({ id: 'a:id/b', role: 'text', name: 'Pay' }, /what has that id is button "Pay"/)
  refused({ path: '0/0', role: 'button', name: 'Pay' }, /button "Send" is now, .* is at 0\/1/)
  refused({ path: '0/1', role: 'button', name: 'Pay', text: '5' }, /button "Pay" \(a:id\/b\) is now/)
})

test('a later interactive element covers; a passive one, an ancestor or a descendant does not', () => {
  const dialog = made('0/1', 'dialog', whole)
  assert.equal(coverOf(dialog), dialog)
  const list = made('0/1', 'list', whole, { actions: ['scroll'] })
  assert.equal(coverOf(list), list)
  assert.equal(coverOf(made('0/1', 'image', whole)), undefined)
  assert.equal(coverOf(made('0/0/0', 'item', place, { actions: ['click'] })), undefined)
  assert.equal(coverOf(made('1/0', 'list', whole, { actions: ['scroll'] })), undefined)
  assert.equal(coverOf(made('0/1', 'button', { ...place, y: 300 }, { actions: ['click'] })), undefined)
})

test('a menu covers elements that come after it in the tree', () => {
  const menu = made('0/0', 'menu', { ...place, y: 0 }, { actions: ['click'] })
  const entry = made('0/0/0', 'menuitem', place, { actions: ['click'] })
  const field = made('0/1', 'edit', whole, { actions: ['type'] })
  const tree = [menu, entry, field]
  assert.equal(coveringElement(field, middleOf(place), tree), entry)
  assert.equal(coveringElement(entry, middleOf(place), tree), undefined)
})

test('an element is touched in its visible part, and refused if it has none', () => {
  const scroll = made('0', 'scroll', { x: 0, y: 0, width: 720, height: 400 }, { actions: ['scroll'] })
  const row = (y: number) => made('0/3', 'item', { x: 0, y, width: 900, height: 100 })
  const part = visiblePart(row(350), [scroll, row(350)], size)
  assert.deepEqual(part, { x: 0, y: 350, width: 720, height: 50 })
  assert.deepEqual(middleOf(part), { x: 360, y: 375 })
  for (const y of [400, 1300, -100])
    assert.throws(() => visiblePart(row(y), [scroll, row(y)], size), {
      code: 'MISMATCH',
      message: /scroll to it first/,
    })
})
