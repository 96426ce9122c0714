import { shellFrame } from '../../../adb/shell-frames.ts'
import type { Capture } from '../../../screens/adb/screencap.ts'
import type { FakeAdbd } from '../test-fake-adbd.ts'
import type { FakeStream } from '../test-fake-stream.ts'
import { FakeSync } from './test-fake-sync.ts'
import { type EncodedVideo, videoPacket } from './test-h264.ts'

const stdout = 1
const exitFrame = (code: number) => Buffer.of(3, 1, 0, 0, 0, code)

/** A fake device that captures its screen and runs a scrcpy server of a given version. */
export class FakeScrcpy {
  /** The version of the server. */
  version = '3.3.3'
  /** What the server prints before it exits; undefined if it starts. */
  startError: string | undefined
  /** Whether the server accepts no connections. */
  isDeaf = false
  /** What captures show. */
  screen: Capture
  readonly sync = new FakeSync()
  /** The scripts by which the server was started. */
  readonly started: string[] = []
  program: FakeStream | undefined
  video: FakeStream | undefined
  #service = ''

  constructor(fake: FakeAdbd, screen: Capture) {
    this.screen = screen
    fake.onService = (service, stream) => this.#serve(service, stream)
  }

  /** Starts a video with its first picture, as after a rotation of the screen. */
  begin({ configuration, units: [first] }: EncodedVideo): void {
    this.video?.write(videoPacket(configuration, true))
    if (first) this.video?.write(videoPacket(first))
  }

  show({ units }: EncodedVideo, index: number): void {
    const unit = units[index]
    if (unit) this.video?.write(videoPacket(unit))
  }

  /** Ends the server, and its video with it. */
  endServer(printed: string): void {
    this.program?.end(Buffer.concat([shellFrame(stdout, Buffer.from(printed)), exitFrame(1)]))
    this.video?.end()
  }

  #serve(service: string, stream: FakeStream): 'taken' | 'refused' | 'left' {
    if (service === 'sync:') this.sync.serve(stream)
    else if (service === 'exec:sh') this.#runShell(stream)
    else if (/^exec:(monkey|mkdir) /.test(service)) stream.end()
    else if (service === 'shell,v2,raw:screencap') this.#capture(stream)
    else if (service.includes('app_process')) stream.onData = () => this.#start(service, stream)
    else if (service === this.#service && !this.video && !this.isDeaf) this.video = stream
    else return service.startsWith('tcp:') || service.startsWith('localabstract:') ? 'refused' : 'left'
    return 'taken'
  }

  #runShell(stream: FakeStream): void {
    stream.onData = data => {
      const [, mark] = /printf '<%s' (\w+)/.exec(data.toString()) ?? []
      stream.write(`<${mark}cur=1080x1920\n${mark}>0;`)
    }
  }

  #capture(stream: FakeStream): void {
    const { width, height, pixels } = this.screen
    const head = Buffer.alloc(16)
    for (const [index, field] of [width, height, 1, 0].entries()) head.writeUInt32LE(field, 4 * index)
    stream.end(Buffer.concat([shellFrame(stdout, Buffer.concat([head, pixels])), exitFrame(0)]))
  }

  #start(service: string, stream: FakeStream): void {
    const [, version = '', words = ''] = /Server (\S+) (.*) <\/dev\/null &$/m.exec(service) ?? []
    this.started.push(service)
    const startError =
      version === this.version
        ? this.startError
        : `[server] ERROR: The server version (${this.version}) does not match the client (${version})\n`
    if (startError !== undefined)
      return void stream.end(Buffer.concat([shellFrame(stdout, Buffer.from(startError)), exitFrame(1)]))
    const [, name] = /scid=(\w+)/.exec(words) ?? []
    this.#service = name ? `localabstract:scrcpy_${name}` : 'localabstract:scrcpy'
    this.program = stream
    this.video = undefined
  }
}
