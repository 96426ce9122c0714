import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Copies the embedded database that TEST_CLUSTER names, and that no service has used, into a folder that has none yet. Making
 * one with its tables takes more than a second of processor time, which hundreds of services of a test run would spend.
 * Without the variable the service makes its own.
 */
export async function copyCluster(folder: string): Promise<void> {
  const prepared = process.env['TEST_CLUSTER']
  if (!prepared || existsSync(folder)) return
  const data = dirname(folder)
  await mkdir(data, { recursive: true, mode: 0o700 })
  // A copy that breaks off must not be taken for a database.
  const part = join(data, `cluster-${process.pid}`)
  try {
    await run('cp', ['--archive', prepared, part])
    await rename(part, folder)
  } finally {
    await rm(part, { recursive: true, force: true })
  }
}
