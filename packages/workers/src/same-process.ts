import type { Engine, MachineHandle } from '@sandglass/machines/contract'
import type { EncodedPicture, PictureFormat, RawChoice, RawPicture, Workers } from './contract/index.ts'
import { DirectMachine } from './direct-machine.ts'
import { Encoders } from './encoding/encoders.ts'
import type { RawFolder } from './raw/raw-folder.ts'
import { RawHere } from './raw/raw-here.ts'

/** Talks to machines in this process, for tests and for a service that is one process, which has no host to start workers. */
export class SameProcess implements Workers {
  readonly encoders: Encoders
  readonly #raw: RawHere

  /**
   * `onError` receives the errors of encoder threads that crashed while idle. Frames wait in the folder to be encoded; without
   * one, they are encoded soon.
   */
  constructor(onError: (error: Error) => void, folder?: RawFolder) {
    this.encoders = new Encoders(onError)
    this.#raw = new RawHere(this.encoders, folder)
  }

  async open(engine: Engine, handle: MachineHandle, tenant?: string): Promise<DirectMachine> {
    return new DirectMachine(await engine.open(handle), this.encoders, tenant, this.#raw.own)
  }

  transcode(
    body: Uint8Array<ArrayBuffer>,
    to: PictureFormat,
    tenant?: string,
  ): Promise<Omit<EncodedPicture, 'hash'>> {
    return this.encoders.transcode(body, to, tenant)
  }

  develop(picture: RawPicture, choice: RawChoice): Promise<EncodedPicture> {
    return this.#raw.develop(picture, choice)
  }

  prioritize(picture: RawPicture, id: string): void {
    this.#raw.prioritize(picture, id)
  }

  release(picture: RawPicture): Promise<number | undefined> {
    return this.#raw.release(picture)
  }

  keepFiles(files: readonly string[]): Promise<void> {
    return this.#raw.keepFiles(files)
  }

  warm(): void {
    this.encoders.warm()
  }

  prepare(): void {}

  async close(): Promise<void> {
    await this.encoders.close()
    this.#raw.close()
  }
}
