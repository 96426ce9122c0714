import { setTimeout as pause } from 'node:timers/promises'
import type { AdbSocket } from '@yume-chan/adb'
import { WritableStream, type WritableStreamDefaultWriter } from '@yume-chan/stream-extra'
import type { AdbLink } from '../../adb/adb-link.ts'
import { Patience } from '../../adb/patience.ts'
import { MachineError, type MachineErrorCode } from '../../contract/errors.ts'
import type { Stroke } from '../../contract/phone.ts'
import type { Point } from '../../contract/rect.ts'
import type { ScreenSize } from '../../contract/spec.ts'
import type { Hands } from './hands.ts'

const port = 1080
/** It is a program of its own that a busy device takes seconds to start; a device that has no such mode ends it at once. */
const startMs = 10_000
const betweenMs = 50
const stepMs = 10
/** Of what it answers; nothing that is asked here is answered with more. */
const longestLine = 4096

/**
 * By the network mode of Android's `monkey`, which takes commands on a port of the device: one process for all of them, where
 * `input` starts one each time.
 */
export class MonkeyHands implements Hands {
  /** Settles when the device takes nothing more this way. */
  readonly ended: Promise<unknown>
  readonly #patience: Patience
  readonly #process: AdbSocket
  readonly #socket: AdbSocket
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>
  /** Those who wait for an answer: they come in the order in which was asked. */
  readonly #asking: ((answer: string | undefined) => void)[] = []
  #hasEnded = false

  private constructor(link: AdbLink, process: AdbSocket, socket: AdbSocket) {
    this.#patience = new Patience(link)
    this.#process = process
    this.#socket = socket
    this.#writer = socket.writable.getWriter()
    this.ended = Promise.race([this.#listen(), process.closed])
  }

  /** Undefined where the device has no such mode. */
  static async open(link: AdbLink): Promise<MonkeyHands | undefined> {
    const process = await link.connect(`exec:monkey --port ${port} 2>&1`)
    let hasEnded = false
    void process.closed.then(() => {
      hasEnded = true
    })
    void process.readable.pipeTo(new WritableStream()).catch(() => {})
    for (const beganMs = performance.now(); !hasEnded && performance.now() - beganMs < startMs; ) {
      const socket = await link.connect(`tcp:${port}`).catch(() => undefined)
      if (socket) {
        const hands = new MonkeyHands(link, process, socket)
        if (await hands.size().catch(() => undefined)) return hands
        hands.close()
        return undefined
      }
      await pause(betweenMs)
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
      await this.#say(`tap ${from.x} ${from.y}`)
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
    await this.#say(`touch ${phase} ${at.x} ${at.y}`)
  }

  async key(name: string): Promise<void> {
    await this.#say(`press KEYCODE_${name}`, 'INVALID')
  }

  close(): void {
    for (const socket of [this.#socket, this.#process]) void Promise.resolve(socket.close()).catch(() => {})
  }

  async #number(name: string): Promise<number> {
    const value = Number(await this.#say(`getvar ${name}`))
    if (Number.isInteger(value) && value > 0) return value
    throw new MachineError('MACHINE_FAILED', `The device does not tell its ${name}.`)
  }

  /** What the device answers after its OK. */
  async #say(command: string, refusal: MachineErrorCode = 'MACHINE_FAILED'): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    if (this.#hasEnded) resolve(undefined)
    else this.#asking.push(resolve)
    // Where it cannot be said, whoever waits hears of the end.
    this.#writer.write(Buffer.from(`${command}\n`)).catch(() => {})
    const answer = await this.#patience.answer(promise)
    if (answer === undefined) throw new MachineError('MACHINE_FAILED', 'The device ended its monkey.')
    if (answer !== 'OK' && !answer.startsWith('OK:'))
      throw new MachineError(refusal, `The device did not take ${command}: ${answer.slice(0, 200)}`)
    return answer.slice(3)
  }

  /** Until there is nothing more to hear. */
  async #listen(): Promise<void> {
    const decoder = new TextDecoder()
    const reader = this.#socket.readable.getReader()
    for (let held = ''; held.length <= longestLine; ) {
      const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }))
      if (done) break
      const lines = (held + decoder.decode(value, { stream: true })).split(/\r?\n/)
      held = lines.pop() ?? ''
      for (const line of lines) this.#asking.shift()?.(line)
    }
    this.#hasEnded = true
    for (const answer of this.#asking) answer(undefined)
  }
}

function between(from: Point, to: Point, part: number): Point {
  return {
    x: Math.round(from.x + (to.x - from.x) * part),
    y: Math.round(from.y + (to.y - from.y) * part),
  }
}
