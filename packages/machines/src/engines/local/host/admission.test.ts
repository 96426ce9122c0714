import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { machinePaths } from '../machine-paths.ts'
import { settle } from '../options.ts'
import { Admission } from './admission.ts'
import { freeDiskMiB } from './host-room.ts'

test('a machine that fits only when others are gone waits for those that are being destroyed', async context => {
  const dataDir = await mkdtemp(join(tmpdir(), 'sandglass-admission-'))
  context.after(() => rm(dataDir, { recursive: true }))
  const limits = { reserveDiskMiB: 0, reserveMemoryMiB: 0 }
  const settings = settle({ dataDir, imagesDir: dataDir, uplink: 'none', ...limits })
  const diskMiB = Math.floor((await freeDiskMiB({ dataDir })) / 2)
  // A disk without content, which may grow until nothing else fits.
  const { disk } = machinePaths(settings, 'leaving')
  await mkdir(dirname(disk), { recursive: true })
  await writeFile(disk, '')
  await truncate(disk, 1.5 * diskMiB * 1024 * 1024)
  const admission = new Admission(settings)
  const create = (leave: () => Promise<void>) =>
    admission.while({ id: 'new', diskMiB }, { makeWay: async () => {}, leave }, async () => 'created')
  await assert.rejects(
    create(async () => {}),
    { code: 'NO_CAPACITY' },
  )
  assert.equal(await create(() => rm(disk)), 'created')
})
