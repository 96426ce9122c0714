import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { getSystemErrorMessage } from 'node:util'
import { MachineError } from '../../contract/errors.ts'
import type { InitProcess } from './init-process.ts'

const script = join(import.meta.dirname, 'port-dialer.pl')

interface Answer {
  readonly id: number
  readonly error?: number
}

/**
 * Connects to ports inside machines from the host, by a process that enters their network for a moment. What is sent
 * goes to the program there directly; through the agent it would pass one more process each way.
 */
export class PortDialer {
  #child: ChildProcess | undefined
  readonly #waiting = new Map<number, PromiseWithResolvers<Socket>>()
  #asked = 0

  dial({ pid, startTime }: InitProcess, address: string, port: number): Promise<Socket> {
    this.#child ??= this.#start()
    const id = ++this.#asked
    const waiting = Promise.withResolvers<Socket>()
    this.#waiting.set(id, waiting)
    this.#child.channel?.ref()
    this.#child.stdin?.write(`${id} ${pid} ${startTime} ${address} ${port}\n`)
    return waiting.promise
  }

  close(): void {
    this.#child?.stdin?.end()
    if (this.#child?.connected) this.#child.disconnect()
    this.#child = undefined
  }

  #start(): ChildProcess {
    const child = spawn('perl', [script], { stdio: ['pipe', 'ignore', 'inherit', 'ipc'] })
    child.on('message', (answer: Answer, handle) =>
      this.#settle(answer, handle instanceof Socket ? handle : undefined),
    )
    child.stdin?.on('error', () => {})
    child.once('error', error => this.#lose(child, error))
    child.once('exit', code => this.#lose(child, new Error(`the dialler ended with code ${code}`)))
    // It shall not keep the service from ending, unless somebody waits for its answer.
    child.unref()
    child.channel?.unref()
    if (child.stdin instanceof Socket) child.stdin.unref()
    return child
  }

  #settle({ id, error }: Answer, socket: Socket | undefined): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#child?.channel?.unref()
    if (!socket || !waiting) {
      socket?.destroy()
      waiting?.reject(new MachineError('REFUSED', getSystemErrorMessage(-(error ?? 0))))
      return
    }
    socket.allowHalfOpen = true
    // As on every connection into a machine: its end, heard by nobody, must not bring the service down.
    socket.on('error', () => {})
    waiting.resolve(socket)
  }

  #lose(child: ChildProcess, error: Error): void {
    if (this.#child === child) this.#child = undefined
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
