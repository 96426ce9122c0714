import { addAbortListener } from 'node:events'
import { MachineError } from '../../../contract/errors.ts'
import { maxSmallFile } from '../../../contract/files.ts'
import type { Json } from '../../../contract/handle.ts'
import { answerInTime, begin, readAnswer } from './agent-client.ts'
import type { Guest, GuestStream } from './guest.ts'
import { type AgentAnswer, malformed } from './parse-answer.ts'
import { readBytes } from './read-bytes.ts'

/** The process that serves a user in the machine ends after this long without a request. */
const idleMs = 60_000
/** Beside these, requests that come at once have processes of their own. */
const maxIdle = 2

interface Asked {
  readonly user?: string
  readonly signal?: AbortSignal
  readonly content?: Uint8Array
}

/** A process that waits for a request. */
interface Idle {
  readonly socket: GuestStream
  /** Takes it from the wait. */
  readonly release: () => void
}

interface Answered {
  readonly answer: AgentAnswer
  readonly content: Buffer | undefined
}

/**
 * Small requests that one process in the machine serves one after another, because starting one per request takes most of its
 * time. Each of these processes has one user for ever.
 */
export class SeveralRequests {
  readonly #guest: Guest
  readonly #idle = new Map<string, Idle[]>()

  constructor(guest: Guest) {
    this.#guest = guest
  }

  async ask(request: Readonly<Record<string, Json>>, path: string, asked: Asked): Promise<Answered> {
    requirePath(path)
    const { user, signal, content } = asked
    signal?.throwIfAborted()
    const socket = (await this.#taken(user)) ?? (await this.#started(user, signal))
    using _ = signal && addAbortListener(signal, () => socket.destroy(signal.reason))
    try {
      socket.write(`${JSON.stringify({ ...request, path, size: content?.length ?? 0 })}\n`)
      if (content?.length) socket.write(content)
      const { answerMs } = this.#guest.timeouts
      const answered = await answerInTime(this.#guest, answerOf(socket), answerMs)
      signal?.throwIfAborted()
      this.#keep(user, socket)
      return answered
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  close(): void {
    for (const all of this.#idle.values()) for (const { socket } of [...all]) socket.destroy()
  }

  #started(user: string | undefined, signal: AbortSignal | undefined): Promise<GuestStream> {
    return begin(this.#guest, { op: 'several', ...(user !== undefined && { user }) }, signal)
  }

  /** A machine that is paused refuses a new connection, and says so. */
  async #taken(user: string | undefined): Promise<GuestStream | undefined> {
    const all = this.#idleOf(user)
    if (all.length === 0 || !(await this.#guest.isAwake())) return undefined
    const taken = all.pop()
    taken?.release()
    return taken?.socket.ref()
  }

  #keep(user: string | undefined, socket: GuestStream): void {
    const all = this.#idleOf(user)
    if (all.length >= maxIdle || socket.destroyed) return void socket.destroy()
    const timer = setTimeout(() => socket.destroy(), idleMs).unref()
    const forget = () => {
      release()
      all.splice(all.indexOf(idle), 1)
    }
    const release = () => {
      clearTimeout(timer)
      socket.off('close', forget)
    }
    const idle = { socket: socket.unref().once('close', forget), release }
    all.push(idle)
  }

  #idleOf(user = ''): Idle[] {
    const all = this.#idle.get(user) ?? []
    this.#idle.set(user, all)
    return all
  }
}

export function requirePath(path: string): void {
  if (path === '' || path.includes('\0'))
    throw new MachineError('INVALID', 'a path must not be empty or contain NUL')
}

async function answerOf(socket: GuestStream): Promise<Answered> {
  const answer = await readAnswer(socket)
  const { length } = answer
  if (length === undefined) return { answer, content: undefined }
  if (typeof length !== 'number' || !(length >= 0 && length <= maxSmallFile)) throw malformed()
  return { answer, content: await readBytes(socket, length) }
}
