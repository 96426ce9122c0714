import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { mountsBelow } from '../rootfs/mounts.ts'
import { installMissing } from './debian-packages.ts'
import { doctor } from './doctor.ts'

it('finds this host able to run machines, and says what fixes the rest', async () => {
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

it('fails a host without the runtime, and one without room', async () => {
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
    assert.deepEqual(failed, ['runtime', 'room'])
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
