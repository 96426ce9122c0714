import type { Duplex } from 'node:stream'
import type { Files } from '../../contract/files.ts'
import type { MachineHandle } from '../../contract/handle.ts'
import type { Death, Endpoint, Machine } from '../../contract/machine.ts'
import type { ExecSpec, MachineProcess } from '../../contract/process.ts'
import type { ScreenSize } from '../../contract/spec.ts'
import { dial } from './dial.ts'
import { exec } from './exec.ts'
import { AgentFiles } from './files.ts'
import type { Places } from './places.ts'
import type { Watch } from './watch.ts'

export class LocalMachine implements Machine {
  readonly handle: MachineHandle
  readonly screenSize: ScreenSize
  readonly files: Files
  readonly died: Promise<Death>
  readonly #places: Places
  readonly #watch: Watch

  constructor(handle: MachineHandle, screenSize: ScreenSize, places: Places, watch: Watch) {
    this.handle = handle
    this.screenSize = screenSize
    this.#places = places
    this.#watch = watch
    this.died = watch.died
    this.files = new AgentFiles(places)
  }

  exec(spec: ExecSpec): Promise<MachineProcess> {
    return exec(this.#places, spec)
  }

  dial(endpoint: Endpoint, options: { readonly signal?: AbortSignal } = {}): Promise<Duplex> {
    return dial(this.#places, endpoint, options.signal)
  }

  close(): void {
    this.#watch.close()
  }
}
