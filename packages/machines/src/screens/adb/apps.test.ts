import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseApps } from './apps.ts'

const activity = (packageName: string, label = 'null') =>
  `  Activity #0:\n    ActivityInfo:\n      name=${packageName}.Main\n      packageName=${packageName}\n      labelRes=0x7f nonLocalizedLabel=${label} icon=0x7f banner=0x0\n`

test('apps have their label, or the last part of their package name, and are sorted', () => {
  const output = `3 activities found:\n${activity('org.example.notes')}${activity('a.b', 'Zebra & Co')}${activity('a.b', 'Other')}`
  assert.deepEqual(parseApps(output), [
    { packageName: 'org.example.notes', label: 'Notes' },
    { packageName: 'a.b', label: 'Zebra & Co' },
  ])
})

test('output that is not a list of apps has none', () => {
  for (const output of ['', 'No activities found', 'Activity #0:', 'Activity #0:\npackageName= \n'])
    assert.deepEqual(parseApps(output), [])
})

test('hostile output of 4 MiB is read in a time that is proportional to its length', () => {
  const length = 4 * 1024 * 1024
  const beginnings = ['nonLocalizedLabel=x', 'packageName=', 'packageName=a nonLocalizedLabel=']
  for (const begin of beginnings)
    assert.ok(parseApps(`Activity #1:\n${begin.repeat(length / begin.length)}`).length <= 1)
})

test('a device with more apps than any has is refused', () => {
  const output = Array.from({ length: 2001 }, (_, n) => activity(`a.b${n}`)).join('')
  assert.throws(() => parseApps(output), { code: 'MACHINE_FAILED' })
})
