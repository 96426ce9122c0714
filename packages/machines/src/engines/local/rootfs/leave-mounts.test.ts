import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../host/run-command.ts'
import { leaveMounts } from './leave-mounts.ts'
import { unmountBelow } from './mounts.ts'

test('a program in a mount namespace of its own has none of the mounts of machines, and the host keeps them', async t => {
  await mkdir('/run/sandglass', { recursive: true })
  const folder = await mkdtemp('/run/sandglass/mounts-')
  await runCommand('mount', ['-t', 'tmpfs', 'machine', folder])
  t.after(async () => {
    await unmountBelow(folder)
    await rm(folder, { recursive: true })
  })
  await mkdir(join(folder, 'inner'))
  await runCommand('mount', ['-t', 'tmpfs', 'machine', join(folder, 'inner')])
  const read = ['cat', '/proc/self/mounts']
  const own = await runCommand('unshare', ['--mount', ...leaveMounts, ...read])
  assert.doesNotMatch(own, / \/run\/sandglass\//)
  assert.match(own, / \/proc /)
  assert.ok((await runCommand('cat', ['/proc/self/mounts'])).includes(join(folder, 'inner')))
})
