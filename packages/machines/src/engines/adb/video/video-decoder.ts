import { setPriority } from 'node:os'
import { MachineError } from '../../../contract/errors.ts'
import type { ScreenSize } from '../../../contract/spec.ts'
import type { Capture } from '../../../screens/adb/screencap.ts'
import { type Confined, cannotRun, spawnConfined } from './spawn-confined.ts'

export interface DecoderListener {
  /** The memory of both is used again: `before` is none of the listener's afterwards. */
  onPicture(now: Capture, before: Capture | undefined): void
  /** Once, when it ended without being told to. */
  onFailure(error: MachineError): void
}

/** Lower than that of the service, which must answer while many decode. */
const niceness = 5
/** What may wait for it: seconds of video, after which it is better to begin anew. */
const maxWaiting = 4 * 1024 * 1024
/** How many packets in a row it may make no picture of. */
const maxBarren = 90
/** A phone is asked for 30 pictures a second; after its connection has stood still more may come for a moment. */
const maxPictures = 300
const pictureWindowMs = 5000
/** Ends the access unit before it, which the parser would otherwise hold until the next comes. */
const delimiter = Buffer.of(0, 0, 0, 1, 9, 0xf0)

/**
 * ffmpeg, decoding H.264 to pictures of the size of the screen, whatever size the video has: each comes out before the next packet is
 * needed. A process of its own; it ends with its input, and so also when the service is killed, and at the first that is no H.264.
 */
export class VideoDecoder {
  readonly #process: Confined
  readonly #listener: DecoderListener
  #now: Capture
  #before: Capture | undefined
  #filled = 0
  /** Packets since the last picture. */
  #barren = 0
  #count = 0
  #windowMs = performance.now()
  #isClosed = false

  constructor(program: string, size: ScreenSize, listener: DecoderListener) {
    this.#listener = listener
    this.#now = blank(size)
    this.#process = spawnConfined(program, argumentsFor(size))
    const { stdin, stdout, pid } = this.#process
    stdout.on('data', (chunk: Buffer) => this.#fill(chunk))
    // Why it takes nothing more, its end tells.
    stdin.on('error', () => {})
    this.#process.on('error', ({ message }) => this.#fail(`${program} does not run on this host: ${message}`))
    this.#process.on('exit', code =>
      this.#fail(cannotRun(code) ? `${program} does not run on this host` : 'its video cannot be decoded'),
    )
    if (pid !== undefined) setPriority(pid, niceness)
  }

  configure(data: Buffer): void {
    this.#write(data)
  }

  decode(data: Buffer): void {
    this.#write(data)
    this.#write(delimiter)
    if (++this.#barren > maxBarren) this.#fail('its video makes no pictures')
    if (this.#countAt(performance.now()) > maxPictures || this.#process.stdin.writableLength > maxWaiting)
      this.#fail('its video comes faster than it may')
  }

  close(): void {
    this.#isClosed = true
    this.#process.kill('SIGKILL')
  }

  #countAt(nowMs: number): number {
    if (nowMs - this.#windowMs > pictureWindowMs) {
      this.#windowMs = nowMs
      this.#count = 0
    }
    return ++this.#count
  }

  #write(bytes: Buffer): void {
    if (!this.#isClosed) this.#process.stdin.write(bytes)
  }

  #fill(chunk: Buffer): void {
    for (let rest = chunk; rest.length > 0 && !this.#isClosed; ) {
      const part = rest.subarray(0, this.#now.pixels.length - this.#filled)
      this.#now.pixels.set(part, this.#filled)
      this.#filled += part.length
      rest = rest.subarray(part.length)
      if (this.#filled === this.#now.pixels.length) this.#finish()
    }
  }

  #finish(): void {
    const [now, before] = [this.#now, this.#before]
    this.#filled = 0
    this.#barren = 0
    this.#listener.onPicture(now, before)
    this.#before = now
    this.#now = before ?? blank(now)
  }

  #fail(reason: string): void {
    if (this.#isClosed) return
    this.close()
    this.#listener.onFailure(new MachineError('MACHINE_FAILED', reason))
  }
}

function blank({ width, height }: ScreenSize): Capture {
  return { width, height, pixels: new Uint8Array(4 * width * height) }
}

/** Without probing and buffering, and by one thread each way: all would cost pictures of delay. */
function argumentsFor({ width, height }: ScreenSize): string[] {
  const input =
    '-probesize 32 -analyzeduration 0 -fpsprobesize 0 -flags low_delay -threads 1 -f h264 -i pipe:0'
  const limits = `-xerror -max_pixels ${16 * Math.ceil(width / 8 + 1) * 16 * Math.ceil(height / 8 + 1)}`
  const output = `-vf scale=${width}:${height},format=rgb0 -fps_mode passthrough -threads 1 -flush_packets 1 -f rawvideo pipe:1`
  return `-hide_banner -loglevel quiet ${limits} ${input} ${output}`.split(' ')
}
