import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'

/** The exit code that flock uses if another process holds the lock. */
const heldByAnother = 75

/**
 * Takes the lock of a file, or returns undefined if another process has it. Node cannot call flock(2), so a program that
 * shares the open file does. The kernel releases the lock however this process ends. The file stays, because another process
 * may be about to lock it.
 */
export async function takeLock(file: string): Promise<AsyncDisposable | undefined> {
  const handle = await open(file, 'a', 0o600)
  try {
    const args = ['--nonblock', '--conflict-exit-code', String(heldByAnother), '3']
    const child = spawn('flock', args, { stdio: ['ignore', 'ignore', 'inherit', handle.fd] })
    const [code] = await once(child, 'exit')
    if (code === 0) return { [Symbol.asyncDispose]: () => handle.close() }
    if (code !== heldByAnother) throw new Error(`${file} could not be locked: flock ended with code ${code}.`)
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  return undefined
}
