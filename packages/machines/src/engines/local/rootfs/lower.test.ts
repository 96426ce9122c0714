import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../host/run-command.ts'
import { mapsOwners } from './lower.ts'
import { mountsBelow } from './mounts.ts'

test('what a service that was killed left of a probe is removed, and that of a running one is not', async context => {
  const imagesDir = await mkdtemp(join(tmpdir(), 'sandglass-probe-'))
  context.after(() => rm(imagesDir, { recursive: true, force: true }))
  // No process has this number.
  const left = join(imagesDir, 'probe-99999999-1-abcdef')
  await mkdir(join(left, 'rootfs'), { recursive: true })
  await runCommand('mount', ['-t', 'tmpfs', 'tmpfs', join(left, 'rootfs')])
  await mapsOwners({ imagesDir, mapOwners: true })
  assert.deepEqual(await mountsBelow(imagesDir), [])
  assert.deepEqual(await readdir(imagesDir), [])
  const probes = await Promise.all(
    Array.from({ length: 3 }, () => mapsOwners({ imagesDir, mapOwners: true })),
  )
  assert.equal(new Set(probes).size, 1)
})
