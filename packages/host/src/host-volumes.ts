import type { Abortable, ListedVolume, VolumeHandle, VolumeSpec, Volumes } from '@sandglass/machines/contract'
import type { Caller } from '@sandglass/rpc'
import type { HostMethods } from './methods.ts'
import { reached } from './reached.ts'

/** The volumes of the host's engine, in a process without rights. */
export class HostVolumes implements Volumes {
  readonly #host: Caller<HostMethods>

  constructor(host: Caller<HostMethods>) {
    this.#host = host
  }

  create(spec: VolumeSpec, { signal }: Abortable = {}): Promise<VolumeHandle> {
    return reached(this.#host.call('createVolume', { spec }, { signal }))
  }

  remove(volume: VolumeHandle): Promise<void> {
    return reached(this.#host.call('removeVolume', { volume }))
  }

  list(): Promise<ListedVolume[]> {
    return reached(this.#host.call('listVolumes', {}))
  }
}
