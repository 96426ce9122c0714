import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writePrivateFile } from './private-file.ts'

/** The exit code that flock uses if another process holds the lock. */
const heldByAnother = 75

/** Another process uses the data directory. */
export class DataDirectoryInUse extends Error {
  /** The id of the process that uses the directory, or an empty string if it is unknown. */
  readonly pid: string

  constructor(path: string, pid: string) {
    super(
      `Another sandglass (process ${pid || 'unknown'}) is running in ${path}. Stop it, or set SANDGLASS_DATA to a different folder.`,
    )
    this.pid = pid
  }
}

/** The folder that holds all data of one service process. No other process uses it at the same time. */
export class DataDirectory {
  readonly path: string
  #lock: number | undefined

  private constructor(path: string, lock: number) {
    this.path = path
    this.#lock = lock
  }

  /**
   * Creates the folder if it is missing, and locks it. The lock belongs to the open file of this process, so the
   * kernel releases it however the process ends, and nothing else that is killed can release it.
   */
  static async lock(path: string): Promise<DataDirectory> {
    await mkdir(path, { recursive: true, mode: 0o700 })
    // Use a plain descriptor, because a FileHandle that is garbage-collected would be closed, which would release the
    // lock.
    const lock = openLock(join(path, 'lock'))
    try {
      const code = await flock(lock)
      if (code === heldByAnother) throw new DataDirectoryInUse(path, readFileSync(lock, 'utf8').trim())
      if (code !== 0) throw new Error(`${path} could not be locked: flock ended with code ${code}.`)
      ftruncateSync(lock)
      writeSync(lock, `${process.pid}\n`)
      return new DataDirectory(path, lock)
    } catch (error) {
      closeSync(lock)
      throw error
    }
  }

  /**
   * The folder whose lock was taken by the process that started this one. The lock belongs to the descriptor that both
   * share, so it is held until both have ended.
   */
  static locked(path: string, lock: number): DataDirectory {
    return new DataDirectory(path, lock)
  }

  /** The descriptor that holds the lock, for a child that goes on with the folder. */
  get descriptor(): number {
    if (this.#lock === undefined) throw new Error(`${this.path} is no longer locked.`)
    return this.#lock
  }

  /** Lets another user lock the folder later. */
  giveLockTo({ uid, gid }: { readonly uid: number; readonly gid: number }): void {
    fchownSync(this.descriptor, uid, gid)
  }

  /** Returns the id of this node, which stays the same as long as the folder exists. */
  async nodeId(): Promise<string> {
    const file = join(this.path, 'node-id')
    const kept = await readFile(file, 'utf8').catch(() => '')
    if (kept.trim()) return kept.trim()
    const id = randomUUID()
    await this.write('node-id', `${id}\n`)
    return id
  }

  /** Returns the id of the node that uses a folder, without locking it; null if it has none yet. */
  static async nodeIdIn(path: string): Promise<string | null> {
    const text = await readFile(join(path, 'node-id'), 'utf8').catch(() => '')
    return text.trim() || null
  }

  async read(name: string): Promise<string | undefined> {
    return readFile(join(this.path, name), 'utf8').catch(() => undefined)
  }

  /** Writes a file that only this user can read. The write is atomic, and on the disk before this returns. */
  async write(name: string, content: string): Promise<void> {
    await writePrivateFile(join(this.path, name), content)
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.path, name), { force: true })
  }

  /** Releases the lock, so that another process can use the directory. */
  release(): void {
    if (this.#lock !== undefined) closeSync(this.#lock)
    this.#lock = undefined
  }
}

/** An unprivileged user may have put something else here for root to open, so that it would overwrite another file. */
function openLock(file: string): number {
  const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
  const lock = openSync(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
  const found = fstatSync(lock)
  if (found.isFile() && found.nlink === 1) return lock
  closeSync(lock)
  throw new Error(`${file} is not a file that this service made. Remove it.`)
}

/**
 * Node cannot call flock(2), so a program that shares the descriptor does. The lock belongs to the open file, which
 * stays open here after that program has ended. No other child inherits it, because Node opens files with
 * close-on-exec.
 */
async function flock(descriptor: number): Promise<number | null> {
  const args = ['--nonblock', '--conflict-exit-code', String(heldByAnother), '3']
  const child = spawn('flock', args, { stdio: ['ignore', 'ignore', 'inherit', descriptor] })
  const [code] = await once(child, 'exit')
  return code
}
