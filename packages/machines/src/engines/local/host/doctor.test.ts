import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { mountsBelow } from '../rootfs/mounts.ts'
import { canClone } from '../storage/can-clone.ts'
import { installMissing } from './debian-packages.ts'
import { doctor } from './doctor.ts'

it('finds this host able to run machines, and names a fix for every warning', async () => {
  await installMissing()
  const dataDir = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
  try {
    const checks = await doctor({ dataDir, uplink: 'none' }, ['minimal'])
    for (const { name, result, what, fix } of checks) {
      assert.notEqual(result, 'fail', `${name}: ${what}`)
      assert.equal(result === 'ok', fix === undefined, `${name}: ${what}`)
    }
    assert.equal(checks.find(({ name }) => name === 'image minimal')?.result, 'warn')
    assert.deepEqual(await mountsBelow(dataDir), [])
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

it('checks the runtimes that shapes name, and refuses a gVisor that is too old', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
  try {
    const old = join(dataDir, 'runsc')
    await writeFile(old, '#!/bin/sh\necho "runsc version release-20221219.0"\n', { mode: 0o755 })
    const checks = await doctor({ dataDir, uplink: 'none', runtime: old }, [], ['runc', 'runsc'])
    const named = checks.filter(({ name }) => name.startsWith('runtime'))
    assert.deepEqual(
      named.map(({ name }) => name),
      ['runtime', 'runtime runc'],
    )
    assert.equal(named[0]?.result, 'fail')
    assert.match(named[0]?.what ?? '', /20221219 is too old/)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

it('warns about disks that have to be copied', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
  try {
    const disks = async (volumeMiB: number) =>
      (await doctor({ dataDir, uplink: 'none', volumeMiB }, [])).find(({ name }) => name === 'disks')
    assert.equal((await disks(1024))?.result, 'ok')
    assert.deepEqual(await readdir(dataDir), ['images'])
    if (!canClone(dataDir)) assert.match((await disks(0))?.fix ?? '', /xfsprogs/)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

it('fails on a host without the runtime or without capacity', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
  try {
    const options = {
      dataDir,
      uplink: 'none',
      runtime: 'no-such-runtime',
      reserveMemoryMiB: 1 << 30,
    } as const
    const failed = (await doctor(options, []))
      .filter(({ result }) => result === 'fail')
      .map(({ name }) => name)
    assert.deepEqual(failed, ['runtime', 'capacity'])
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
