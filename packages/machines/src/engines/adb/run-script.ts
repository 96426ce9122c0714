import { addAbortListener } from 'node:events'
import type { Readable } from 'node:stream'
import type { AdbLink } from '../../adb/adb-link.ts'
import { fileError } from '../posix/file-errors.ts'
import { startShell } from './shell-process.ts'

/** No script that runs here prints more. */
const maxOutput = 1024 * 1024

/** Deleting a folder with very many files takes a while. */
const timeoutMs = 300_000

/**
 * Runs a script and returns its output. If it fails, its message becomes the error for `path`; the messages are in
 * English because of LC_ALL.
 */
export async function runScript(
  link: AdbLink,
  script: string,
  path: string,
  signal?: AbortSignal,
): Promise<Buffer> {
  signal?.throwIfAborted()
  const shell = await startShell(link, `export LC_ALL=C; umask 022\n${script}`)
  const either = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])])
  using _ = addAbortListener(either, () => shell.close())
  shell.stdin.end()
  try {
    const [printed, said, code] = await Promise.all([
      gather(shell.stdout),
      gather(shell.stderr),
      shell.exited,
    ])
    if (code !== 0) throw fileError(String(said), path)
    return printed
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    shell.close()
  }
}

async function gather(from: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of from) {
    length += chunk.length
    if (length <= maxOutput) chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
