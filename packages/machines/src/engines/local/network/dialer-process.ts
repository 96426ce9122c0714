import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { getSystemErrorMessage } from 'node:util'
import { MachineError } from '../../../contract/errors.ts'
import type { InitProcess } from '../oci/init-process.ts'
import { receivedSocket } from './received-socket.ts'

const script = join(import.meta.dirname, 'port-dialer.pl')

/** Longer than the dialer itself waits for a guest, so that reaching it means that the dialer hangs. */
const answerTimeoutMs = 8000

interface Answer {
  readonly id: number
  readonly error?: number
}

interface Waiting extends PromiseWithResolvers<Socket> {
  readonly isUnread: boolean
}

/** The dialer ended or did not answer; the caller can retry with another one. */
export class DialerLost extends Error {}

/** A process that connects to ports inside machines and passes the sockets to the service. */
export class DialerProcess {
  readonly #child: ChildProcess
  readonly #ending = Promise.withResolvers<Error>()
  /** Resolves with the reason when the process has ended. */
  readonly ended = this.#ending.promise
  readonly #waiting = new Map<number, Waiting>()
  #asked = 0

  constructor() {
    const child = spawn('perl', [script], { stdio: ['pipe', 'ignore', 'inherit', 'ipc'] })
    this.#child = child
    child.on('message', (answer: Answer, handle) => this.#settle(answer, handle))
    child.stdin?.on('error', () => {})
    child.once('error', error => this.#lose(error.message))
    child.once('exit', (code, signal) => this.#lose(`it ended with ${code ?? signal}`))
    // It must not keep the service from exiting, unless somebody waits for an answer.
    child.unref()
    child.channel?.unref()
    if (child.stdin instanceof Socket) child.stdin.unref()
  }

  async dial(
    { pid, startTime }: InitProcess,
    address: string,
    port: number,
    isUnread: boolean,
  ): Promise<Socket> {
    const id = ++this.#asked
    const waiting = { ...Promise.withResolvers<Socket>(), isUnread }
    this.#waiting.set(id, waiting)
    this.#child.channel?.ref()
    this.#child.stdin?.write(`${id} ${pid} ${startTime} ${address} ${port}\n`)
    const timer = setTimeout(
      () => this.#end(`it did not answer within ${answerTimeoutMs} ms`),
      answerTimeoutMs,
    )
    return waiting.promise.finally(() => clearTimeout(timer))
  }

  close(): void {
    this.#end('it was closed')
  }

  #end(why: string): void {
    this.#lose(why)
    this.#child.stdin?.end()
    if (this.#child.connected) this.#child.disconnect()
    // A hung process does not notice that its input has ended.
    this.#child.kill('SIGKILL')
  }

  #settle({ id, error }: Answer, handle: object | undefined): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#child.channel?.unref()
    const socket = handle && receivedSocket(handle, waiting?.isUnread ?? true)
    if (!socket || !waiting) {
      socket?.destroy()
      waiting?.reject(new MachineError('REFUSED', getSystemErrorMessage(-(error ?? 0))))
      return
    }
    waiting.resolve(socket)
  }

  #lose(why: string): void {
    const error = new DialerLost(`the port dialer was lost: ${why}`)
    this.#ending.resolve(error)
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
