import { setPriority } from 'node:os'
import { MachineError } from '../../../contract/errors.ts'
import type { ScreenSize } from '../../../contract/spec.ts'
import type { Capture } from '../../../screens/adb/screencap.ts'
import { type Confined, cannotRun, spawnConfined } from './spawn-confined.ts'

export interface DecoderListener {
  /** The memory of both pictures is reused: the listener must not use `before` after the call. */
  onPicture(now: Capture, before: Capture | undefined): void
  /** Called once if the decoder ends before it was closed. */
  onFailure(error: MachineError): void
}

/** A lower priority than that of the service, which must answer while many decoders run. */
const niceness = 5
/** How much input may be queued: seconds of video, after which starting over is better. */
const maxQueuedBytes = 4 * 1024 * 1024
/** How many consecutive packets may yield no picture. */
const maxPacketsWithoutPicture = 90
/** A phone sends 30 pictures per second, and more for a moment after its connection has stalled. */
const maxPictures = 300
const pictureWindowMs = 5000
/** Ends the preceding access unit, which the parser would otherwise hold back until the next one arrives. */
const delimiter = Buffer.of(0, 0, 0, 1, 9, 0xf0)

/**
 * Runs ffmpeg to decode H.264 into pictures of the size of the screen, whatever the size of the video. Each picture
 * is delivered before the next packet is needed. It is a separate process that ends with its input, so also when the
 * service is killed, and at the first invalid packet.
 */
export class VideoDecoder {
  readonly #process: Confined
  readonly #listener: DecoderListener
  #now: Capture
  #before: Capture | undefined
  #filled = 0
  /** The number of packets since the last picture. */
  #packetsWithoutPicture = 0
  #count = 0
  #windowMs = performance.now()
  #isClosed = false

  constructor(program: string, size: ScreenSize, listener: DecoderListener) {
    this.#listener = listener
    this.#now = blank(size)
    this.#process = spawnConfined(program, argumentsFor(size))
    const { stdin, stdout, pid } = this.#process
    stdout.on('data', (chunk: Buffer) => this.#fill(chunk))
    // The exit handler reports why it accepts no more input.
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
    if (++this.#packetsWithoutPicture > maxPacketsWithoutPicture) this.#fail('its video contains no pictures')
    if (this.#countAt(performance.now()) > maxPictures || this.#process.stdin.writableLength > maxQueuedBytes)
      this.#fail('its video exceeds the rate limit')
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
    this.#packetsWithoutPicture = 0
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

/** Probing, buffering and multiple threads are off, because each would delay the pictures. */
function argumentsFor({ width, height }: ScreenSize): string[] {
  const input =
    '-probesize 32 -analyzeduration 0 -fpsprobesize 0 -flags low_delay -threads 1 -f h264 -i pipe:0'
  const limits = `-xerror -max_pixels ${16 * Math.ceil(width / 8 + 1) * 16 * Math.ceil(height / 8 + 1)}`
  const output = `-vf scale=${width}:${height},format=rgb0 -fps_mode passthrough -threads 1 -flush_packets 1 -f rawvideo pipe:1`
  return `-hide_banner -loglevel quiet ${limits} ${input} ${output}`.split(' ')
}
