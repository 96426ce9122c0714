import type { KeyedMutex } from '@sandglass/supervision'
import type { CreateOptions } from '../../contract/create-options.ts'
import type { MachineHandle } from '../../contract/handle.ts'
import type { MachineSpec } from '../../contract/spec.ts'
import { createMachine } from './create-machine.ts'
import { handleOf } from './handle.ts'
import type { Admission } from './host/admission.ts'
import { runtimeOf } from './oci/runtimes.ts'
import type { Settings } from './options.ts'
import { findImage } from './rootfs/image-store.ts'
import type { RootKind } from './rootfs/prepared-root.ts'
import type { PreparedRoots } from './rootfs/prepared-roots.ts'
import { StartTurns } from './start-turns.ts'
import type { Starters } from './starters.ts'
import type { SavedRecord } from './storage/saved-records.ts'
import { validateSpec } from './validate-spec.ts'
import type { LocalVolumes } from './volumes/local-volumes.ts'
import { waitingKindOf } from './waiting-container.ts'

export interface CreationParts {
  readonly settings: Settings
  readonly admission: Admission
  readonly starters: Starters
  readonly prepared: PreparedRoots
  readonly volumes: LocalVolumes
  /** What changes one machine happens one after the other. */
  readonly mutex: KeyedMutex
  /** The machines that are being destroyed. */
  readonly leaving: ReadonlySet<Promise<void>>
}

/** Creates machines that fit on the host, from an image or from a saved disk. */
export class Creation {
  readonly #parts: CreationParts
  readonly #turns = new StartTurns()

  constructor(parts: CreationParts) {
    this.#parts = parts
  }

  create(spec: MachineSpec, options: CreateOptions): Promise<MachineHandle> {
    const { settings, mutex, starters } = this.#parts
    return this.#admit(spec, options.signal, async () => {
      const image = await findImage(settings, spec.image)
      return mutex.run(spec.id, async () => {
        const { lower } = await starters.of(image)
        return this.#create({ lower, diskMiB: spec.diskMiB }, spec, image, options)
      })
    })
  }

  createFrom(saved: SavedRecord, spec: MachineSpec, options: CreateOptions): Promise<MachineHandle> {
    const { id, base, lower, image, diskMiB } = saved
    const kind = { lower, diskMiB, saved: { id, base } }
    return this.#admit(spec, options.signal, () =>
      this.#parts.mutex.run(spec.id, () => this.#create(kind, spec, image, options)),
    )
  }

  async #admit<T>(spec: MachineSpec, signal: AbortSignal | undefined, create: () => Promise<T>): Promise<T> {
    const { admission, leaving, prepared, volumes } = this.#parts
    validateSpec(spec)
    signal?.throwIfAborted()
    const leave = () => Promise.allSettled(leaving)
    // Counted at once, since whoever calls gives up the place that was reserved for the machine.
    return await prepared.pausedWhile(() =>
      admission.while(spec, { prepared, leave, signal }, () => volumes.during(spec, create)),
    )
  }

  async #create(
    kind: RootKind,
    spec: MachineSpec,
    image: string,
    { signal, onReachable }: CreateOptions,
  ): Promise<MachineHandle> {
    const { prepared, starters } = this.#parts
    const starter = await starters.of(image)
    const handle = handleOf(spec.id)
    const starting = { signal, onReachable: () => onReachable?.(handle) }
    const runtime = starter.runtimes.of({ runtime: runtimeOf(this.#parts.settings, spec) })
    const waiting = waitingKindOf(starter, spec, runtime)
    await prepared.during(kind, waiting, () =>
      this.#turns.during(() => createMachine({ spec, image, kind, waiting }, starter, prepared, starting)),
    )
    return handle
  }
}
