import type { Abortable, ListedVolume, VolumeHandle, VolumeSpec, Volumes } from '@sandglass/machines/contract'
import type { Caller } from '@sandglass/rpc'
import type { HostMethods } from './methods.ts'
import { reached } from './reached.ts'

/** The volumes of an engine of the host, in a process without rights. */
export class HostVolumes implements Volumes {
  readonly #host: Caller<HostMethods>
  readonly #engine: string

  constructor(host: Caller<HostMethods>, engine: string) {
    this.#host = host
    this.#engine = engine
  }

  create(spec: VolumeSpec, { signal }: Abortable = {}): Promise<VolumeHandle> {
    return reached(this.#host.call('createVolume', { engine: this.#engine, spec }, { signal }))
  }

  remove(volume: VolumeHandle): Promise<void> {
    return reached(this.#host.call('removeVolume', { volume }))
  }

  list(): Promise<ListedVolume[]> {
    return reached(this.#host.call('listVolumes', { engine: this.#engine }))
  }
}
