import assert from 'node:assert/strict'
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { smallDisk } from '../../../testing/small-disk.ts'
import { machinePaths } from '../machine-paths.ts'
import { cgroupLayout } from '../oci/cgroups.ts'
import { Runtime } from '../oci/runtime.ts'
import { settle } from '../options.ts'
import { PreparedRoots } from '../rootfs/prepared-roots.ts'
import { Admission } from './admission.ts'
import { freeDiskMiB } from './host-room.ts'

test('a machine that fits only when others are gone waits for them', async context => {
  // Other tests may fill and empty the disk of the host meanwhile.
  const { folder: dataDir, dispose } = await smallDisk(512)
  context.after(dispose)
  const limits = { reserveDiskMiB: 0, unpromisedDiskMiB: 0, reserveMemoryMiB: 0 }
  const settings = settle({ dataDir, imagesDir: dataDir, uplink: 'none', ...limits })
  const diskMiB = Math.floor((await freeDiskMiB(settings)) / 2)
  const { disk } = machinePaths(settings, 'leaving')
  await mkdir(dirname(disk), { recursive: true })
  // A disk without content, which may grow until nothing else fits.
  const fill = async () => {
    await writeFile(disk, '')
    await truncate(disk, 1.5 * diskMiB * 1024 * 1024)
  }
  const admission = new Admission(settings)
  const layout = cgroupLayout()
  const prepared = new PreparedRoots({ settings, runtime: new Runtime(settings, layout, 'runc'), layout })
  const create = (leave: () => Promise<void>, signal?: AbortSignal) =>
    admission.while({ id: 'new', diskMiB }, { prepared, leave, signal }, async () => 'created')
  const nothingLeaves = async () => {}

  await fill()
  await assert.rejects(create(nothingLeaves), { code: 'NO_CAPACITY' })
  await assert.rejects(create(nothingLeaves, AbortSignal.timeout(300)), { name: 'AbortError' })
  assert.equal(await create(() => rm(disk)), 'created')

  // One whose destruction has not yet begun.
  await fill()
  const created = create(nothingLeaves)
  await pause(300)
  await rm(disk)
  assert.equal(await created, 'created')
})

test('a machine that fits only without the root that is being prepared waits until that is removed', async context => {
  // Other tests may fill and empty the disk of the host meanwhile.
  const { folder: dataDir, dispose } = await smallDisk(512)
  context.after(dispose)
  const limits = { reserveDiskMiB: 0, unpromisedDiskMiB: 0, reserveMemoryMiB: 0, diskOvercommit: 1 }
  const settings = settle({ dataDir, imagesDir: dataDir, uplink: 'none', ...limits })
  const admission = new Admission(settings)
  const freeMiB = await freeDiskMiB(settings)
  const cleared: number[] = []
  const create = (preparingMiB: number, diskMiB: number) => {
    const prepared = { preparingMiB, clear: async () => void cleared.push(preparingMiB) }
    return admission.while({ id: 'new', diskMiB }, { prepared, leave: async () => {} }, async () => 'created')
  }
  assert.equal(await create(freeMiB / 4, freeMiB / 4), 'created')
  assert.deepEqual(cleared, [])
  assert.equal(await create(freeMiB / 2, (freeMiB * 3) / 4), 'created')
  assert.deepEqual(cleared, [freeMiB / 2])
})
