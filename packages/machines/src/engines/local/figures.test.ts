import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { countersOf, memoryOf } from './figures.ts'

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
  await mkdir(join(root, 'group'))
  await writeFile(join(root, 'group', 'memory.current'), '5000\n')
  await writeFile(join(root, 'group', 'memory.usage_in_bytes'), '7000\n')
  const stat = 'inactive_file 1000\nactive_file 1\ntotal_inactive_file 3000\n'
  await writeFile(join(root, 'group', 'memory.stat'), stat)
})
after(() => rm(root, { recursive: true }))

test('the memory of a group is known on v1, v2 and hybrid hosts, without cached files', () => {
  const roots = { memory: root }
  assert.equal(memoryOf({ kind: 'v2', roots }, '/group'), 4000)
  for (const kind of ['v1', 'hybrid'] as const) assert.equal(memoryOf({ kind, roots }, '/group'), 4000)
  assert.equal(memoryOf({ kind: 'v2', roots }, '/other'), undefined)
  assert.equal(memoryOf({ kind: 'none', roots: {} }, '/group'), undefined)
})

test('the counters of the only link are read, whatever other links there are', () => {
  const table = [
    'Inter-|   Receive                            |  Transmit',
    ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed',
    '    lo:   1    1    0    0    0     0          0         0        1       1    0    0    0     0       0          0',
    '  eth0: 1234      5    0    0    0     0          0         0     5678      6    0    0    0     0       0          0',
    ' eth01:    9      9    0    0    0     0          0         0        9      9    0    0    0     0       0          0',
  ]
  assert.deepEqual(countersOf(table.join('\n')), { received: 1234, sent: 5678 })
  assert.equal(countersOf(table.slice(0, 3).join('\n')), undefined)
  assert.equal(countersOf(''), undefined)
})
