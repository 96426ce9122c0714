import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { activityOf } from './group-activity.ts'

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
  await mkdir(join(root, 'group'))
  await writeFile(join(root, 'group', 'cgroup.procs'), '10\n12\n')
  await writeFile(join(root, 'group', 'cpu.stat'), 'usage_usec 2500\nuser_usec 2000\n')
  await writeFile(join(root, 'group', 'cpuacct.usage'), '7000000\n')
  await writeFile(join(root, 'group', 'memory.stat'), 'cache 1\npgmajfault 3\n')
})
after(() => rm(root, { recursive: true }))

test('the processor time and the processes of a group are known on v1, v2 and hybrid hosts', () => {
  const { hostLoad, stolenMs, ...onV2 } =
    activityOf({ kind: 'v2', roots: { cpu: root, memory: root } }, '/group') ?? assert.fail()
  assert.deepEqual(onV2, { cpuMs: 2.5, loads: 3, processes: [10, 12] })
  assert.ok(hostLoad >= 0 && stolenMs >= 0, `${hostLoad}, ${stolenMs}`)
  for (const kind of ['v1', 'hybrid'] as const)
    assert.equal(activityOf({ kind, roots: { cpuacct: root, memory: root } }, '/group')?.cpuMs, 7)
})

test('nothing is said about a group that does not exist, or that nobody counts for', () => {
  assert.equal(activityOf({ kind: 'v2', roots: { cpu: root } }, '/other'), undefined)
  assert.equal(activityOf({ kind: 'v1', roots: {} }, '/group'), undefined)
})
