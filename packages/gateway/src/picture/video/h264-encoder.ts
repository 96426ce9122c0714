import { type ChildProcess, spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { type AccessUnit, FlvPictures } from './flv.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

export interface EncoderListener {
  onUnit(unit: AccessUnit): void
  /** Called once if the encoder ends unexpectedly. */
  onFailure(error: Error): void
}

/** Lower priority than the service, which must respond while many encoders run. */
const niceness = 5

/** A frame takes milliseconds. Viewers see a frozen picture for as long as a hanging encoder is waited for. */
const pictureTimeoutMs = 5000
/** The first frame takes longer on a busy box, and no viewer depends on it yet. */
const firstPictureTimeoutMs = 15_000

/** It processes untrusted pixels and needs no privileges on the host. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/**
 * Encodes frames with ffmpeg, each of which comes out before the next is needed. It runs as a separate process that
 * exits when its input closes, also when the service is killed. Probing and buffering of the input are off, since
 * each would add a frame of delay.
 */
export class H264Encoder {
  readonly #process: ChildProcess
  readonly #listener: EncoderListener
  #watchdog: NodeJS.Timeout
  #hasStarted = false
  #isBusy = false
  #isClosed = false

  /** Width and height must be even. */
  constructor(program: string, size: Size, listener: EncoderListener) {
    this.#listener = listener
    this.#process = spawn(program, argumentsFor(size), {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'] },
      ...nobody,
    })
    this.#watchdog = this.#watch(firstPictureTimeoutMs)
    const { stdin, stdout, pid } = this.#process
    const pictures = new FlvPictures()
    stdout?.on('data', chunk => {
      for (const unit of pictures.receive(chunk)) this.#onUnit(unit)
    })
    stdin?.on('error', error => this.#fail(error))
    this.#process.on('error', error => this.#fail(error))
    this.#process.on('exit', code => this.#fail(new Error(`the encoder ended with code ${code}`)))
    if (pid !== undefined) setPriority(pid, niceness)
  }

  /** Whether a frame is being encoded and the next one must wait. */
  get isBusy(): boolean {
    return this.#isBusy
  }

  /** Four bytes per pixel, which must not change until the frame is encoded. */
  encode(pixels: Uint8Array): void {
    if (this.#isClosed) return
    this.#isBusy = true
    if (this.#hasStarted) this.#watchdog.refresh()
    this.#process.stdin?.write(pixels)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#watchdog)
    this.#process.kill('SIGKILL')
  }

  #onUnit(unit: AccessUnit): void {
    if (this.#isClosed) return
    this.#isBusy = false
    if (!this.#hasStarted) {
      this.#hasStarted = true
      clearTimeout(this.#watchdog)
      this.#watchdog = this.#watch(pictureTimeoutMs)
    }
    this.#listener.onUnit(unit)
  }

  #watch(timeoutMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      if (this.#isBusy) this.#fail(new Error(`the encoder gave no picture for ${timeoutMs} ms`))
    }, timeoutMs).unref()
  }

  #fail(error: Error): void {
    if (this.#isClosed) return
    this.close()
    this.#listener.onFailure(error)
  }
}

/** Constrained baseline, which every browser decodes, with the colour space of screens written into the stream. */
function argumentsFor({ width, height }: Size): string[] {
  const input = `-probesize 32 -analyzeduration 0 -fpsprobesize 0 -f rawvideo -pix_fmt rgb0 -r 60 -s ${width}x${height} -i pipe:0`
  const colours =
    '-vf scale=out_color_matrix=bt709:out_range=tv,format=yuv420p -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv'
  const codec =
    '-c:v libx264 -preset ultrafast -tune zerolatency -profile:v baseline -crf 27 -maxrate 10M -bufsize 2M -g 100000 -x264-params scenecut=0:threads=1'
  const output = '-fps_mode passthrough -flush_packets 1 -flvflags no_duration_filesize -f flv pipe:1'
  return `-hide_banner -loglevel quiet ${input} ${colours} ${codec} ${output}`.split(' ')
}
