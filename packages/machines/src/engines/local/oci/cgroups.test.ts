import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cgroupLayout, removeGroup, removeGroupTree } from './cgroups.ts'

const v1 = (name: string) => `cgroup /sys/fs/cgroup/${name} cgroup rw,relatime,${name} 0 0\n`
const all = ['memory', 'cpu', 'pids', 'freezer'].map(v1).join('')

it('finds the controllers of v1, v2 and hybrid hosts', () => {
  assert.deepEqual(cgroupLayout(all).kind, 'v1')
  assert.equal(cgroupLayout(all).roots.pids, '/sys/fs/cgroup/pids')
  const hybrid = cgroupLayout(`${all}cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n`)
  assert.deepEqual([hybrid.kind, hybrid.roots.memory], ['hybrid', '/sys/fs/cgroup/memory'])
  const v2 = cgroupLayout('cgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0\n')
  assert.deepEqual([v2.kind, v2.roots.freezer], ['v2', '/sys/fs/cgroup'])
  assert.equal(cgroupLayout('proc /proc proc rw 0 0\n').kind, 'none')
})

it('finds controllers that share a mount', () => {
  const { roots } = cgroupLayout('cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n')
  assert.equal(roots.cpu, '/sys/fs/cgroup/cpu,cpuacct')
})

it('waits for the processes of a group before it removes it', async () => {
  const { memory = assert.fail('this host has no memory controller') } = cgroupLayout().roots
  const name = `sandglass-test-${process.pid}`
  const group = join(memory, name, 'machine')
  await mkdir(group, { recursive: true })
  const program = spawn('sleep', ['60'])
  try {
    await writeFile(join(group, 'cgroup.procs'), String(program.pid))
    const removed = removeGroup(`/${name}/machine`)
    await pause(300)
    assert.ok(existsSync(group))
    program.kill()
    await removed
    assert.ok(!existsSync(group))
    await mkdir(group)
  } finally {
    program.kill()
    await removeGroupTree(`/${name}`)
  }
  assert.ok(!existsSync(join(memory, name)))
})
