import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { machinePaths } from '../../local/machine-paths.ts'
import { findInit } from '../../local/oci/init-process.ts'
import { withSpaceFor } from '../../local/storage/disk-space.ts'
import type { VmRecord } from '../records.ts'
import { whileStill } from './pause-guest.ts'
import { endVm } from './remove-vm.ts'
import { saveMemory } from './save-memory.ts'
import { type Origin, startVm, type VmGround } from './start-vm.ts'
import { forgetSuspended, suspendedPath } from './suspended.ts'

const saveTimeoutMs = 120_000

/** Saves the memory of a machine and switches it off. One that does not run stays as it is. */
export async function suspendVm(ground: VmGround, record: VmRecord): Promise<void> {
  const { settings } = ground
  const { spec } = record
  const paths = machinePaths(settings, spec.id)
  if (await findInit(paths)) {
    const target = suspendedPath(settings, spec.id)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    const signal = AbortSignal.timeout(saveTimeoutMs)
    await withSpaceFor(settings, spec.memoryMiB, () =>
      whileStill(ground, paths, spec.id, async qmp => {
        await saveMemory(settings, record, qmp, `${target}.part`, signal)
        await rename(`${target}.part`, target)
        await qmp.execute('quit').catch(() => {})
      }),
    )
  }
  await endVm(ground, spec.id)
}

/** Starts a machine that was suspended where it was. Without its memory, or if that cannot be used, it boots. */
export async function wakeVm(ground: VmGround, record: VmRecord, signal?: AbortSignal): Promise<void> {
  const state = suspendedPath(ground.settings, record.spec.id)
  const start = async (origin: Origin) => {
    await endVm(ground, record.spec.id)
    await startVm(ground, record, origin, false, signal)
  }
  try {
    if (!existsSync(state)) return await start({ kind: 'boot' })
    await start({ kind: 'saved', state }).catch(async error => {
      signal?.throwIfAborted()
      await start({ kind: 'boot' }).catch(() => {
        throw error
      })
    })
  } catch (error) {
    await endVm(ground, record.spec.id)
    throw error
  }
  await forgetSuspended(ground.settings, record.spec.id)
}
