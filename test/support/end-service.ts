import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@sandglass/machines/testing'

/** Ends the service of this data directory, which was started in the background. */
export async function endService(data: string): Promise<void> {
  const pid = Number(await readFile(join(data, 'lock'), 'utf8').catch(() => '0'))
  if (!pid) return
  const isRunning = () => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  if (isRunning()) process.kill(pid, 'SIGTERM')
  await waitFor(() => !isRunning())
}
