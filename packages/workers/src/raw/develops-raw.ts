import { MachineError } from '@sandglass/machines/contract'
import type { EncodedPicture, RawChoice } from '../contract/index.ts'
import type { Encoders } from '../encoding/encoders.ts'
import type { RawFile } from './raw-file.ts'
import { placesOf, type RawFrame } from './raw-frame.ts'

/** Encodes the frames of a file. */
export class DevelopsRaw {
  readonly #encoders: Encoders
  readonly #file: RawFile
  readonly #isOld: boolean

  /** An old file was written by a process that has ended. Nothing more is written to it. */
  constructor(encoders: Encoders, file: RawFile, { isOld = false } = {}) {
    this.#encoders = encoders
    this.#file = file
    this.#isOld = isOld
  }

  async develop(frame: RawFrame, { tenant, id, isFetched }: RawChoice): Promise<EncodedPicture> {
    const places = placesOf(frame)
    if (!this.#isOld && !this.#file.has(places))
      throw new MachineError('UNREACHABLE', 'The frame was released.')
    if (isFetched) this.#encoders.prioritize(id)
    // What is being read must not be written to, even if the frame is released meanwhile.
    this.#file.use(places)
    try {
      return await this.#encoders.developRaw(id, { descriptor: this.#file.descriptor, frame }, tenant)
    } finally {
      this.#file.release(places)
    }
  }

  /** Returns the share of the file that is still in use. */
  release(frame: RawFrame): number {
    if (!this.#isOld) this.#file.release(placesOf(frame))
    return Math.min(1, this.#file.fill)
  }
}
