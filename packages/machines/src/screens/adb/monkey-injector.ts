import { setTimeout as pause } from 'node:timers/promises'
import type { AdbSocket } from '@yume-chan/adb'
import { WritableStream, type WritableStreamDefaultWriter } from '@yume-chan/stream-extra'
import type { AdbLink } from '../../adb/adb-link.ts'
import { AnswerTimeout } from '../../adb/answer-timeout.ts'
import { MachineError, type MachineErrorCode } from '../../contract/errors.ts'
import type { Stroke } from '../../contract/phone.ts'
import type { Point } from '../../contract/rect.ts'
import type { ScreenSize } from '../../contract/spec.ts'
import type { InputInjector } from './input-injector.ts'

const port = 1080
/**
 * How long to wait for monkey. A busy device takes seconds to start it; a device without the network mode ends it
 * immediately.
 */
const startTimeoutMs = 10_000
const retryMs = 50
const stepMs = 10
/** The max length of an answer; no answer to the commands used here is longer. */
const maxLineLength = 4096

/**
 * Uses the network mode of Android's `monkey`, which accepts commands on a port of the device. One process serves all
 * commands, whereas `input` starts one per command.
 */
export class MonkeyInjector implements InputInjector {
  /** Resolves when the device accepts no more input this way. */
  readonly ended: Promise<unknown>
  readonly #timeout: AnswerTimeout
  readonly #process: AdbSocket
  readonly #socket: AdbSocket
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>
  /** Callers that wait for an answer. Answers arrive in the order of the requests. */
  readonly #pending: ((answer: string | undefined) => void)[] = []
  #hasEnded = false

  private constructor(link: AdbLink, process: AdbSocket, socket: AdbSocket) {
    this.#timeout = new AnswerTimeout(link)
    this.#process = process
    this.#socket = socket
    this.#writer = socket.writable.getWriter()
    this.ended = Promise.race([this.#listen(), process.closed])
  }

  /** Returns undefined if the device does not support the network mode. */
  static async open(link: AdbLink): Promise<MonkeyInjector | undefined> {
    const process = await link.connect(`exec:monkey --port ${port} 2>&1`)
    let hasEnded = false
    void process.closed.then(() => {
      hasEnded = true
    })
    void process.readable.pipeTo(new WritableStream()).catch(() => {})
    for (const beganMs = performance.now(); !hasEnded && performance.now() - beganMs < startTimeoutMs; ) {
      const socket = await link.connect(`tcp:${port}`).catch(() => undefined)
      if (socket) {
        const injector = new MonkeyInjector(link, process, socket)
        if (await injector.size().catch(() => undefined)) return injector
        injector.close()
        return undefined
      }
      await pause(retryMs)
    }
    await process.close()
    return undefined
  }

  async size(): Promise<ScreenSize> {
    const [width, height] = await Promise.all([this.#number('display.width'), this.#number('display.height')])
    return { width, height }
  }

  async touch({ from, to, durationMs }: Stroke, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (durationMs === 0 && from.x === to.x && from.y === to.y) {
      await this.#send(`tap ${from.x} ${from.y}`)
      return
    }
    await this.finger('down', from)
    try {
      const beganMs = performance.now()
      for (let part = 0; part < 1; ) {
        await pause(stepMs, undefined, { signal })
        part = Math.min(1, (performance.now() - beganMs) / durationMs)
        await this.finger('move', between(from, to, part))
      }
    } finally {
      await this.finger('up', to)
    }
  }

  async finger(phase: 'down' | 'move' | 'up', at: Point): Promise<void> {
    await this.#send(`touch ${phase} ${at.x} ${at.y}`)
  }

  async key(name: string): Promise<void> {
    await this.#send(`press KEYCODE_${name}`, 'INVALID')
  }

  close(): void {
    for (const socket of [this.#socket, this.#process]) void Promise.resolve(socket.close()).catch(() => {})
  }

  async #number(name: string): Promise<number> {
    const value = Number(await this.#send(`getvar ${name}`))
    if (Number.isInteger(value) && value > 0) return value
    throw new MachineError('MACHINE_FAILED', `The device does not report its ${name}.`)
  }

  /** Sends a command and returns the answer after its OK. */
  async #send(command: string, refusal: MachineErrorCode = 'MACHINE_FAILED'): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    if (this.#hasEnded) resolve(undefined)
    else this.#pending.push(resolve)
    // If the write fails, the caller learns of it by the end of the connection.
    this.#writer.write(Buffer.from(`${command}\n`)).catch(() => {})
    const answer = await this.#timeout.answer(promise)
    if (answer === undefined)
      throw new MachineError('MACHINE_FAILED', 'The monkey process on the device ended.')
    if (answer !== 'OK' && !answer.startsWith('OK:'))
      throw new MachineError(refusal, `The device refused ${command}: ${answer.slice(0, 200)}`)
    return answer.slice(3)
  }

  /** Dispatches answers until the connection ends. */
  async #listen(): Promise<void> {
    const decoder = new TextDecoder()
    const reader = this.#socket.readable.getReader()
    for (let held = ''; held.length <= maxLineLength; ) {
      const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }))
      if (done) break
      const lines = (held + decoder.decode(value, { stream: true })).split(/\r?\n/)
      held = lines.pop() ?? ''
      for (const line of lines) this.#pending.shift()?.(line)
    }
    this.#hasEnded = true
    for (const answer of this.#pending) answer(undefined)
  }
}

function between(from: Point, to: Point, part: number): Point {
  return {
    x: Math.round(from.x + (to.x - from.x) * part),
    y: Math.round(from.y + (to.y - from.y) * part),
  }
}
