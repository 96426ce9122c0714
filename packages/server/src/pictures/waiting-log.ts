import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { RawFrame, type RawPicture } from '@sandglass/workers/contract'
import { z } from 'zod'
import { type PictureId, parsePictureId } from './picture-id.ts'
import type { PictureOwner } from './picture-owner.ts'

/** A picture whose frame waits in a file to be encoded. */
export interface WaitingPicture {
  readonly id: PictureId
  readonly owner: PictureOwner | undefined
  readonly raw: RawPicture
}

const Line = z.union([
  z.object({ done: z.string() }),
  z.object({
    id: z.string(),
    owner: z.object({ orgId: z.string(), sandboxId: z.string() }).exactOptional(),
    file: z.string(),
    frame: RawFrame,
  }),
])

/** The log is rewritten when it has this many more lines than pictures that wait. */
const maxSuperfluous = 5000

/**
 * Records which pictures wait, so that their URLs work after the service has ended, however it ended. Each line is written
 * before the URL is returned. Lines are short and are not synced, so nothing waits for a disk.
 */
export class WaitingLog {
  readonly #path: string | undefined
  readonly #waiting = new Map<string, WaitingPicture>()
  #descriptor: number | undefined
  #lines = 0

  /** Without a path nothing is recorded. */
  constructor(path?: string) {
    this.#path = path
    if (path === undefined) return
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    for (const line of linesOf(path)) this.#apply(line)
    this.#descriptor = openSync(path, 'a', 0o600)
    this.#tryToRewrite(path)
  }

  /** The oldest come first. */
  get waiting(): readonly WaitingPicture[] {
    return [...this.#waiting.values()]
  }

  /** Throws if it cannot be written. */
  add(picture: WaitingPicture): void {
    this.#write(lineOf(picture))
    this.#waiting.set(picture.id.text, picture)
  }

  /** The picture does not wait any more. What cannot be recorded is encoded once more after the next start. */
  done(id: PictureId): void {
    if (!this.#waiting.delete(id.text)) return
    try {
      this.#write(JSON.stringify({ done: id.text }))
    } catch {}
    if (this.#path !== undefined && this.#lines > this.#waiting.size + maxSuperfluous)
      this.#tryToRewrite(this.#path)
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  #apply(line: z.infer<typeof Line>): void {
    if ('done' in line) {
      this.#waiting.delete(line.done)
      return
    }
    const id = parsePictureId(line.id)
    const { owner, file, frame } = line
    if (id) this.#waiting.set(id.text, { id, owner, raw: { file, frame } })
  }

  #write(line: string): void {
    if (this.#descriptor === undefined) return
    // A line begins with its end, so that one that was written in part spoils no other.
    writeSync(this.#descriptor, `\n${line}`)
    this.#lines++
  }

  /** Leaves out what does not wait any more. On a full disk it stays. */
  #tryToRewrite(path: string): void {
    this.#lines = this.#waiting.size
    const text = this.waiting.map(picture => `\n${lineOf(picture)}`).join('')
    try {
      writeFileSync(`${path}.new`, text, { mode: 0o600 })
      const descriptor = openSync(`${path}.new`, 'a')
      renameSync(`${path}.new`, path)
      this.close()
      this.#descriptor = descriptor
    } catch {}
  }
}

function lineOf({ id, owner, raw: { file, frame } }: WaitingPicture): string {
  return JSON.stringify({ id: id.text, owner, file, frame })
}

function linesOf(path: string): z.infer<typeof Line>[] {
  const text = readIfThere(path)
  return text.split('\n').flatMap(line => {
    const parsed = Line.safeParse(parseJson(line))
    return parsed.success ? [parsed.data] : []
  })
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

/** Returns undefined for what is no JSON: the last line may have been written in part. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
