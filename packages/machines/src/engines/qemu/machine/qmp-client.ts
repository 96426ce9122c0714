import type { Duplex } from 'node:stream'
import { MachineError } from '../../../contract/errors.ts'
import { connectIn } from '../../local/network/unix-socket.ts'
import { awaitQemuSocket } from './await-qemu-socket.ts'

/** QEMU may have been taken over by its guest, so what it sends over a connection is limited. It usually is a few kilobytes. */
const maxReceived = 1024 * 1024
const answerTimeoutMs = 30_000

export type QmpEventListener = (name: string, data: Readonly<Record<string, unknown>>) => void

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

const hasEnded = () => new MachineError('MACHINE_FAILED', 'QEMU has ended')

/** The name of QEMU's control socket among the sockets of a machine. */
const socketName = 'qmp'

/** Controls a QEMU process. There is one client at a time. */
export class QmpClient {
  readonly #socket: Duplex
  readonly #waiting = new Map<number, Waiting>()
  readonly #events = new Set<QmpEventListener>()
  #partial = ''
  #received = 0
  #last = 0

  /** Call {@link begin} before anything else. */
  constructor(socket: Duplex) {
    this.#socket = socket
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => this.#receive(text))
    // QEMU reports by its exit why it no longer reads.
    socket.on('error', () => {})
    socket.on('end', () => socket.destroy())
    socket.on('close', () => this.#end(hasEnded()))
  }

  /** Connects to a QEMU that runs. */
  static async open(folder: string, signal?: AbortSignal): Promise<QmpClient> {
    return await QmpClient.#negotiate(await connectIn(folder, socketName, signal))
  }

  /** Connects to a QEMU that is being started. */
  static async await(folder: string, signal: AbortSignal): Promise<QmpClient> {
    return await QmpClient.#negotiate(await awaitQemuSocket(folder, socketName, signal))
  }

  static async #negotiate(socket: Duplex): Promise<QmpClient> {
    const client = new QmpClient(socket)
    try {
      await client.begin()
      return client
    } catch (error) {
      client.close()
      throw error
    }
  }

  /** Leaves the mode in which QEMU accepts no other command. */
  async begin(timeoutMs = answerTimeoutMs): Promise<void> {
    await this.execute('qmp_capabilities', {}, timeoutMs)
  }

  onEvent(listener: QmpEventListener): void {
    this.#events.add(listener)
  }

  async execute(command: string, args: object = {}, timeoutMs = answerTimeoutMs): Promise<unknown> {
    if (this.#socket.destroyed) throw hasEnded()
    const id = ++this.#last
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.set(id, { resolve, reject })
    const late = setTimeout(
      () => reject(new MachineError('MACHINE_FAILED', `QEMU did not answer ${command} in time`)),
      timeoutMs,
    )
    this.#socket.write(`${JSON.stringify({ execute: command, arguments: args, id })}\n`)
    try {
      return await promise
    } finally {
      clearTimeout(late)
      this.#waiting.delete(id)
    }
  }

  /** Resolves with the first value that the function returns for an event. Rejects when QEMU ends or the signal fires. */
  event<T>(
    match: (name: string, data: Readonly<Record<string, unknown>>) => T | undefined,
    signal: AbortSignal,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const settle = () => {
        this.#events.delete(listener)
        signal.removeEventListener('abort', aborted)
        this.#socket.off('close', closed)
      }
      const aborted = () => {
        settle()
        reject(signal.reason)
      }
      const closed = () => {
        settle()
        reject(hasEnded())
      }
      const listener: QmpEventListener = (name, data) => {
        try {
          const value = match(name, data)
          if (value === undefined) return
          settle()
          resolve(value)
        } catch (error) {
          settle()
          reject(error)
        }
      }
      this.#events.add(listener)
      signal.addEventListener('abort', aborted, { once: true })
      this.#socket.once('close', closed)
      if (signal.aborted) aborted()
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #receive(text: string): void {
    this.#received += text.length
    if (this.#received > maxReceived) {
      this.#end(new MachineError('MACHINE_FAILED', 'QEMU sent more than it was asked for'))
      this.#socket.destroy()
      return
    }
    const lines = (this.#partial + text).split('\n')
    this.#partial = lines.pop() ?? ''
    for (const line of lines) this.#receivedLine(line)
  }

  #receivedLine(line: string): void {
    let message: Readonly<Record<string, unknown>>
    try {
      message = Object(JSON.parse(line))
    } catch {
      return
    }
    if (typeof message['event'] === 'string') {
      for (const listener of [...this.#events]) listener(message['event'], Object(message['data']))
      return
    }
    const waiting = this.#waiting.get(Number(message['id']))
    if (!waiting) return
    const { desc } = Object(message['error'])
    if ('error' in message)
      waiting.reject(new MachineError('MACHINE_FAILED', `QEMU refused: ${String(desc).slice(0, 500)}`))
    else waiting.resolve(message['return'])
  }

  #end(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
