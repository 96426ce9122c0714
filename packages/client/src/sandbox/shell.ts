import type { CallOptions } from '../call-options.ts'
import { ConnectionError, NotFoundError, WrongServiceError } from '../errors.ts'
import type { EventStream } from '../event-stream.ts'
import type { EventFrom, Input } from '../operations.ts'
import { pause } from '../pause.ts'
import { bytesOf } from './base64.ts'
import { OutputQueue, type ShellPart } from './output-queue.ts'
import { ShellInput } from './shell-input.ts'
import type { Target } from './target.ts'

/** What SIGKILL leaves, which is how a shell is killed. */
const killedCode = 137
/** How often a stream that ends too early is opened again without any output in between. */
const maxSilentEnds = 10
const silentEndMs = 500

export interface ShellOptions extends CallOptions {
  /** Whether the command has a terminal. By default only a shell without a command has one. */
  readonly tty?: boolean | undefined
  /** The size of the terminal. 24 by 80 by default. */
  readonly rows?: number | undefined
  readonly cols?: number | undefined
  /** The folder in which it runs. The home of the user by default. */
  readonly cwd?: string | undefined
  /** After how many seconds it is killed. A shell runs until its command ends by default. */
  readonly maxSeconds?: number | undefined
  /**
   * Whether the command belongs to its reader: it ends some seconds after the connection is lost for good, and every byte of its
   * output is read. By default it goes on, and what it writes before somebody reads is dropped above a MiB.
   */
  readonly ephemeral?: boolean | undefined
  /** Ends the start and, later, the shell with everything that it started. */
  readonly signal?: AbortSignal | undefined
}

type Output = EventStream<EventFrom<'attachSandboxShell'>>

/** How a command ended. */
export interface ShellExit {
  /** 128+n if signal n ended it. */
  readonly exitCode: number
  /** Whether it was killed after `maxSeconds`. */
  readonly timedOut: boolean
}

/**
 * A command that runs in a sandbox. Its output is an async iterable, which continues by itself where it was if the connection is
 * lost. The command waits for who reads it. It does not wait before somebody reads, and while the connection is lost: of what it
 * writes meanwhile the newest MiB is kept, and `dropped` says how much is missing. A shell that is abandoned
 * harms nobody: it fails silently, and ends with its sandbox, or an hour after its last use.
 *
 * @example
 * await using shell = await box.shell('npm test')
 * for await (const { stdout, stderr } of shell) process.stdout.write(stdout ?? stderr ?? '')
 * const { exitCode } = await shell.exit
 */
export class Shell implements AsyncIterable<ShellPart>, AsyncDisposable {
  readonly id: string
  /**
   * The input as a stream, for pipes. Closing it closes the input of the command.
   *
   * @example
   * await file.stream().pipeTo(shell.stdin)
   */
  get stdin(): WritableStream<Uint8Array | string> {
    this.#stdin ??= new WritableStream({
      write: chunk => this.write(chunk),
      close: () => this.end(),
    })
    return this.#stdin
  }
  readonly #target: Target
  readonly #closing = new AbortController()
  readonly #queue = new OutputQueue()
  readonly #input: ShellInput
  #first: Output | undefined
  #ended: Promise<ShellExit> | undefined
  /** How the command ended, if the stream has said so. */
  #exit: ShellExit | undefined
  #stdin: WritableStream<Uint8Array | string> | undefined
  #isKilled = false
  #isFinished = false

  /** Made by `box.shell()` and `box.attachShell()`. */
  constructor(target: Target, id: string, signal?: AbortSignal, first?: Output) {
    this.#target = target
    this.id = id
    this.#first = first
    this.#input = new ShellInput(
      dataBase64 =>
        target.client.writeSandboxShell(
          { ...this.#place, body: { dataBase64 } },
          { signal: this.#closing.signal },
        ),
      this.#closing.signal,
    )
    const onAbort = () => {
      this.kill({ timeoutMs: 10_000 }).catch(() => {})
      this.#closing.abort(signal?.reason)
    }
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true, signal: this.#closing.signal })
  }

  /**
   * Writes to the input of the command, in the order of the calls. Resolves when the service has accepted it, which waits for the
   * command to read if more than a MiB is unread.
   *
   * @example
   * await shell.write('ls\n')
   */
  write(data: Uint8Array | string, options: CallOptions = {}): Promise<void> {
    return this.#input.write(typeof data === 'string' ? new TextEncoder().encode(data) : data, options)
  }

  /**
   * Closes the input, after everything that was written. On a terminal it types the end-of-file character.
   *
   * @example
   * await shell.end()
   */
  async end(options: CallOptions = {}): Promise<void> {
    await this.#input.drained()
    await this.#target.client.finishSandboxShell(this.#place, options)
  }

  /**
   * Changes the size of the terminal.
   *
   * @example
   * await shell.resize(40, 120)
   */
  async resize(rows: number, cols: number, options: CallOptions = {}): Promise<void> {
    const body = { ttyRows: rows, ttyCols: cols }
    await this.#target.client.resizeSandboxShell({ ...this.#place, body }, options)
  }

  /**
   * Ends the command and everything that it started. Resolves when nothing of it is left.
   *
   * @example
   * await shell.kill()
   */
  async kill(options: CallOptions = {}): Promise<void> {
    this.#isKilled = true
    await this.#target.client.terminateSandboxShell(this.#place, options).catch(ignoreMissing)
  }

  /**
   * Stops reading and writing without ending the command, which `box.attachShell(shell.id)` can go on with.
   *
   * @example
   * shell.detach()
   */
  detach(): void {
    this.#closing.abort(closed())
  }

  /**
   * How the command ended. Rejects if that cannot be known, because the connection, the machine or the service is gone. Output that
   * nobody reads meanwhile is dropped.
   *
   * @example
   * const { exitCode, timedOut } = await shell.exit
   */
  get exit(): Promise<ShellExit> {
    this.#queue.isDropping = true
    this.#queue.reconsider()
    return this.#start()
  }

  /** The output as it comes, until the command ends. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ShellPart, void, undefined> {
    this.#queue.hasReader = true
    this.#start()
    try {
      for (;;) {
        const part = await this.#queue.take()
        if (!part) return
        yield part
      }
    } finally {
      this.#queue.hasReader = false
      this.#queue.reconsider()
    }
  }

  /** Ends the command, if it still runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (!this.#isFinished) await this.kill()
    } finally {
      this.#closing.abort(closed())
    }
  }

  get #place() {
    return { sandboxId: this.#target.sandboxId, shellId: this.id }
  }

  #start(): Promise<ShellExit> {
    if (!this.#ended) {
      this.#ended = this.#follow()
      this.#ended.catch(() => {})
    }
    return this.#ended
  }

  async #follow(): Promise<ShellExit> {
    try {
      await this.#readAll()
      const exit = await this.#readExit()
      this.#isFinished = true
      this.#queue.end()
      return exit
    } catch (error) {
      this.#queue.fail(error)
      throw error
    }
  }

  /** Reads until the end of the command, also over several streams. */
  async #readAll(): Promise<void> {
    const { client } = this.#target
    const { signal } = this.#closing
    let lastEventId: string | undefined
    for (let silentEnds = 0; silentEnds < maxSilentEnds; silentEnds++) {
      const headers = lastEventId === undefined ? undefined : { 'last-event-id': lastEventId }
      const stream = this.#first ?? client.stream('attachSandboxShell', this.#place, { signal, headers })
      this.#first = undefined
      try {
        for await (const event of stream) {
          if ('end' in event) {
            this.#exit = exitOf(event)
            return
          }
          silentEnds = 0
          const part = partOf(event)
          if (part) await this.#queue.add(part)
        }
      } catch (error) {
        if (this.#isKilled && error instanceof NotFoundError) return
        throw error
      }
      lastEventId = stream.lastEventId ?? lastEventId
      await pause(silentEndMs, signal)
    }
    throw new ConnectionError('The stream of the shell ended again and again before its command did.', {
      code: 'client.DISCONNECTED',
    })
  }

  async #readExit(): Promise<ShellExit> {
    if (this.#exit) return this.#exit
    try {
      const { signal } = this.#closing
      const exit = exitOf(await this.#target.client.readSandboxShell(this.#place, { signal }))
      if (exit) return exit
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error
    }
    if (this.#isKilled) return { exitCode: killedCode, timedOut: false }
    throw new ConnectionError(
      'The shell has ended without an exit code, because its machine or the service is gone.',
      {
        code: 'client.SHELL_LOST',
      },
    )
  }
}

function exitOf({
  exitCode,
  timedOut = false,
}: {
  readonly exitCode?: number | undefined
  readonly timedOut?: boolean | undefined
}): ShellExit | undefined {
  return exitCode === undefined ? undefined : { exitCode, timedOut }
}

function partOf(event: EventFrom<'attachSandboxShell'>): ShellPart | undefined {
  if ('stdout' in event) return { stdout: bytesOf(event.stdout) }
  if ('stderr' in event) return { stderr: bytesOf(event.stderr) }
  if ('dropped' in event) return { dropped: Number(atob(event.dropped)) }
  return undefined
}

function closed(): ConnectionError {
  return new ConnectionError('The shell was closed.', { code: 'client.CLOSED' })
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof NotFoundError)) throw error
}

/** Starts a command in the login shell of the user. */
export async function startShell(
  target: Target,
  command: string,
  { tty = false, rows, cols, cwd, maxSeconds, ephemeral = false, ...call }: ShellOptions,
): Promise<Shell> {
  const { client, sandboxId } = target
  const body = {
    command,
    useTty: tty,
    ...(rows !== undefined && { ttyRows: rows }),
    ...(cols !== undefined && { ttyCols: cols }),
    ...(cwd !== undefined && { workingDirectory: cwd }),
    ...(maxSeconds !== undefined && { timeoutSeconds: maxSeconds }),
  }
  if (ephemeral) return await startEphemeral(target, body, call)
  const { sessionId } = await client.createSandboxShell({ sandboxId, body }, call)
  return new Shell(target, sessionId, call.signal)
}

/** Starts the command and reads it in one request. */
async function startEphemeral(
  target: Target,
  body: Input<'createSandboxShell'>['body'],
  call: CallOptions,
): Promise<Shell> {
  const { client, sandboxId } = target
  const output = client.stream(
    'streamSandboxShell',
    { sandboxId, body: { ...body, includeExit: true } },
    call,
  )
  const id = (await output.open()).get('x-sandglass-shell')
  if (id) return new Shell(target, id, call.signal, output)
  output.close()
  throw new WrongServiceError('The service does not say which shell it has started. It may be too old.', {
    code: 'client.WRONG_SERVICE',
  })
}
