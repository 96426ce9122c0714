import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StatementNames } from './statement-names.ts'

test('a statement has a name from its second use on, and always the same', () => {
  const names = new StatementNames()
  assert.equal(names.of('select 1'), undefined)
  const name = names.of('select 1')
  assert.match(name ?? '', /^repeated-\d+$/)
  assert.equal(names.of('select 1'), name)
})

test('what cannot be prepared has no name, however often it comes', () => {
  const names = new StatementNames()
  for (const text of ['begin', 'commit', 'listen changes', 'create table a ()'])
    assert.deepEqual([names.of(text), names.of(text), names.of(text)], [undefined, undefined, undefined])
})

test('statements whose text has a list of values do not fill the server with plans', () => {
  const names = new StatementNames()
  const given = new Set<string>()
  for (let length = 0; length < 5000; length++)
    for (let use = 0; use < 2; use++) given.add(names.of(`select ${length}`) ?? 'none')
  assert.equal(given.size, 401)
})
