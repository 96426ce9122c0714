import type { Engine, MachineHandle } from '@sandglass/machines/contract'
import type { EncodedPicture, PictureFormat, Workers } from './contract/index.ts'
import { DirectMachine } from './direct-machine.ts'
import { Encoders } from './encoding/encoders.ts'

/** Talks to machines in this process, for tests and for engines that only exist in it. */
export class SameProcess implements Workers {
  readonly encoders: Encoders

  /** `onError` receives the errors of encoder threads that crashed while idle. */
  constructor(onError: (error: Error) => void) {
    this.encoders = new Encoders(onError)
  }

  async open(engine: Engine, handle: MachineHandle, tenant?: string): Promise<DirectMachine> {
    return new DirectMachine(await engine.open(handle), this.encoders, tenant)
  }

  transcode(
    body: Uint8Array<ArrayBuffer>,
    to: PictureFormat,
    tenant?: string,
  ): Promise<Omit<EncodedPicture, 'hash'>> {
    return this.encoders.transcode(body, to, tenant)
  }

  warm(): void {
    this.encoders.warm()
  }

  prepare(): void {}

  async close(): Promise<void> {
    await this.encoders.close()
  }
}
