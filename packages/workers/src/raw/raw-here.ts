import { closeSync } from 'node:fs'
import { MachineError } from '@sandglass/machines/contract'
import type { EncodedPicture, RawChoice, RawPicture, RawPictures } from '../contract/index.ts'
import type { Encoders } from '../encoding/encoders.ts'
import { DevelopsRaw } from './develops-raw.ts'
import { RawFile } from './raw-file.ts'
import type { RawFolder } from './raw-folder.ts'

interface Opened {
  readonly file: RawFile
  readonly raw: DevelopsRaw
}

/** The files of raw frames that this process writes and reads itself. */
export class RawHere implements RawPictures {
  readonly #encoders: Encoders
  readonly #folder: RawFolder | undefined
  readonly #opened = new Map<string, Opened>()
  #own: RawFile | undefined

  /** Without a folder there are none. */
  constructor(encoders: Encoders, folder: RawFolder | undefined) {
    this.#encoders = encoders
    this.#folder = folder
  }

  /** The file that frames are written to. */
  get own(): RawFile | undefined {
    if (this.#folder) this.#own ??= this.#open(this.#folder).file
    return this.#own
  }

  async develop({ file, frame }: RawPicture, choice: RawChoice): Promise<EncodedPicture> {
    return await this.#find(file).raw.develop(frame, choice)
  }

  prioritize(_picture: RawPicture, id: string): void {
    this.#encoders.prioritize(id)
  }

  async release({ file, frame }: RawPicture): Promise<number | undefined> {
    return this.#opened.get(file)?.raw.release(frame)
  }

  async keepFiles(files: readonly string[]): Promise<void> {
    for (const [name, { file }] of this.#opened)
      if (!files.includes(name) && file !== this.#own) this.#close(name, file)
    await this.#folder?.keep(files)
  }

  close(): void {
    for (const [name, { file }] of this.#opened) this.#close(name, file)
  }

  #find(name: string): Opened {
    const known = this.#opened.get(name)
    if (known) return known
    if (!this.#folder) throw new MachineError('UNREACHABLE', 'There are no files of raw frames here.')
    return this.#open(this.#folder, name)
  }

  #open(folder: RawFolder, old?: string): Opened {
    const { name, descriptor, isOld } = folder.open(old)
    const file = new RawFile(descriptor, { name })
    const opened = { file, raw: new DevelopsRaw(this.#encoders, file, { isOld }) }
    this.#opened.set(name, opened)
    return opened
  }

  #close(name: string, file: RawFile): void {
    this.#opened.delete(name)
    closeSync(file.descriptor)
    this.#folder?.ended(name)
  }
}
