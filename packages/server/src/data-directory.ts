import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The exit code that flock is told to use where another process holds the lock. */
const heldByAnother = 75

/** The folder that holds everything of one service process, and which no other process uses at the same time. */
export class DataDirectory {
  readonly path: string
  readonly #release: () => Promise<void>

  private constructor(path: string, release: () => Promise<void>) {
    this.path = path
    this.#release = release
  }

  /** Makes the folder where it is missing and locks it; the kernel lets go of the lock however the process ends. */
  static async lock(path: string): Promise<DataDirectory> {
    await mkdir(path, { recursive: true, mode: 0o700 })
    const file = join(path, 'lock')
    const holder = spawn(
      'flock',
      [
        '--nonblock',
        '--conflict-exit-code',
        String(heldByAnother),
        file,
        'sh',
        '-c',
        'echo locked && exec cat',
      ],
      { stdio: ['pipe', 'pipe', 'inherit'], detached: true },
    )
    const locked = once(holder.stdout, 'data').then(() => true)
    const exited = once(holder, 'exit').then(([code]) => code)
    const outcome = await Promise.race([locked, exited])
    if (outcome === heldByAnother) {
      const pid = (await readFile(file, 'utf8')).trim()
      throw new Error(
        `Another sandglass (process ${pid}) runs in ${path}. Stop it, or give this one a SANDGLASS_DATA of its own.`,
      )
    }
    if (outcome !== true) throw new Error(`${path} could not be locked: flock ended with code ${outcome}.`)
    await writeFile(file, `${process.pid}\n`, { mode: 0o600 })
    holder.unref()
    return new DataDirectory(path, async () => {
      holder.ref()
      holder.stdin.end()
      await exited
    })
  }

  /** The id of this node, kept for as long as the folder is. */
  async nodeId(): Promise<string> {
    const file = join(this.path, 'node-id')
    const kept = await readFile(file, 'utf8').catch(() => '')
    if (kept.trim()) return kept.trim()
    const id = randomUUID()
    await this.write('node-id', `${id}\n`)
    return id
  }

  async read(name: string): Promise<string | undefined> {
    return readFile(join(this.path, name), 'utf8').catch(() => undefined)
  }

  /** Writes a file for this user's eyes only, whole or not at all, and on the disk before it returns. */
  async write(name: string, content: string): Promise<void> {
    const temporary = join(this.path, `${name}.new`)
    const file = await open(temporary, 'w', 0o600)
    try {
      await file.writeFile(content)
      await file.chmod(0o600)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, join(this.path, name))
  }

  /** Settles when another process may have it. */
  async release(): Promise<void> {
    await this.#release()
  }
}
