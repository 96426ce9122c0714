import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findDump } from './read-tree.ts'
import { findSize } from './shell-injector.ts'

const length = 4 * 1024 * 1024

test('the window dump is found among what else a device prints', () => {
  const xml = '<?xml version="1.0"?><hierarchy><node/></hierarchy>'
  assert.equal(findDump(`UI hierarchy dumped to: /x\n${xml}\nbye`), xml)
  for (const output of ['', 'ERROR', '</hierarchy><?xml', '<?xml>']) assert.equal(findDump(output), undefined)
})

test('the size is found at the end of what a device prints', () => {
  assert.deepEqual(findSize('Physical size: 1080x2400\n'), { width: 1080, height: 2400 })
  for (const output of ['', 'x', '1x', '1080x2400 px']) assert.equal(findSize(output), undefined)
})

test('hostile output of 4 MiB is searched in a time that is proportional to its length', () => {
  assert.equal(findDump('<?xml'.repeat(length / 5)), undefined)
  assert.equal(findDump('<?xml </hierarchy'.repeat(length / 17)), undefined)
  assert.equal(findSize('1'.repeat(length)), undefined)
  assert.equal(findSize('1x'.repeat(length / 2)), undefined)
})
