import { type ChildProcess, spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { type AccessUnit, FlvPictures } from './flv.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

export interface EncoderListener {
  onUnit(unit: AccessUnit): void
  /** Once, when it ended without being told to. */
  onFailure(error: Error): void
}

/** Lower than that of the service, which must answer while many encode. */
const niceness = 5

/** A picture takes milliseconds. Viewers see a still picture for as long as an encoder that hangs is waited for. */
const pictureTimeoutMs = 5000
/** The first takes longer on a busy box, and nobody sees a still picture meanwhile. */
const firstPictureTimeoutMs = 15_000

/** It sees strangers' pixels and needs nothing of the host. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/**
 * ffmpeg, encoding one picture after the other as it gets them: each comes out before the next is needed. A process of its
 * own; it ends with its input, and so also when the service is killed. Without probing and buffering of its input, which
 * would each cost a picture of delay.
 */
export class H264Encoder {
  readonly #process: ChildProcess
  readonly #listener: EncoderListener
  #watchdog: NodeJS.Timeout
  #hasStarted = false
  #isBusy = false
  #isClosed = false

  /** The size must be even. */
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

  /** A picture is being encoded; another must wait. */
  get isBusy(): boolean {
    return this.#isBusy
  }

  /** Four bytes a pixel, which must stay as they are until the unit comes. */
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

/** Constrained baseline, which every browser decodes; colours as sites and screens mean them, said within the stream. */
function argumentsFor({ width, height }: Size): string[] {
  const input = `-probesize 32 -analyzeduration 0 -fpsprobesize 0 -f rawvideo -pix_fmt rgb0 -r 60 -s ${width}x${height} -i pipe:0`
  const colours =
    '-vf scale=out_color_matrix=bt709:out_range=tv,format=yuv420p -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv'
  const codec =
    '-c:v libx264 -preset ultrafast -tune zerolatency -profile:v baseline -crf 27 -maxrate 10M -bufsize 2M -g 100000 -x264-params scenecut=0:threads=1'
  const output = '-fps_mode passthrough -flush_packets 1 -flvflags no_duration_filesize -f flv pipe:1'
  return `-hide_banner -loglevel quiet ${input} ${colours} ${codec} ${output}`.split(' ')
}
