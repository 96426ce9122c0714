import type { CaptureChoice, EncodedPicture, RawChoice, RawPicture } from '../contract/index.ts'
import { Encoders } from '../encoding/encoders.ts'
import { LatestFrame } from '../raw/latest-frame.ts'
import type { RawFolder } from '../raw/raw-folder.ts'
import { RawHere } from '../raw/raw-here.ts'
import { RawCapture } from '../screen/raw-capture.ts'
import { PaintedScreen } from './painted-screen.ts'

/** A painted screen whose captures wait in a file. It records what is encoded. */
export class WaitingScreen extends RawHere {
  readonly screen = new PaintedScreen(320, 200)
  /** The ids of the pictures that were encoded, in order. */
  readonly encoded: string[] = []
  readonly #encoders: Encoders
  readonly #latest: LatestFrame

  constructor(folder: RawFolder) {
    const encoders = new Encoders(() => {})
    super(encoders, folder)
    this.#encoders = encoders
    if (!this.own) throw new Error('there is no file')
    this.#latest = new LatestFrame(this.screen, this.own)
  }

  /** Paints something that no capture has shown, and takes a capture of it. */
  async take(format: CaptureChoice['format'] = 'png'): Promise<RawCapture> {
    this.#painted++
    this.screen.fill(
      { x: 7 * (this.#painted % 40), y: 5 * (this.#painted % 30), width: 20, height: 20 },
      () => Math.imul(this.#painted, 0x9e3779b1) >>> 8,
    )
    const frame = await this.#latest.look(look => this.#latest.write(look.frame, { format, pointer: false }))
    if (!frame || !this.own) throw new Error('the file is full')
    return new RawCapture(frame, { file: this.own.name, frame, fill: this.own.fill })
  }

  override develop(picture: RawPicture, choice: RawChoice): Promise<EncodedPicture> {
    this.encoded.push(choice.id)
    return super.develop(picture, choice)
  }

  transcode(): Promise<never> {
    return Promise.reject(new Error('the test does not expect this call'))
  }

  async end(): Promise<void> {
    this.#latest.close()
    await this.#encoders.close()
    this.close()
  }

  #painted = 0
}
