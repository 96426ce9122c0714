import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type ListedVolume,
  MachineError,
  type MachineOwner,
  type MachineSpec,
  type VolumeHandle,
  type VolumeSpec,
  type Volumes,
} from '@sandglass/machines/contract'

interface Kept {
  readonly owner?: MachineOwner
  readonly sizeMiB: number
}

const handleOf = (id: string): VolumeHandle => ({ engine: 'folder', version: 1, state: id })

/**
 * Each volume is a file `ID.volume`. While there is a file `wait.volume`, creating one does not end; while there is a file
 * `fail.volume`, it fails.
 */
export class FolderVolumes implements Volumes {
  readonly #folder: string
  readonly #specs: () => readonly MachineSpec[]

  /** `specs` are those of all machines. */
  constructor(folder: string, specs: () => readonly MachineSpec[]) {
    this.#folder = folder
    this.#specs = specs
  }

  async create({ id, sizeMiB, owner }: VolumeSpec): Promise<VolumeHandle> {
    const kept: Kept = { sizeMiB, ...(owner && { owner }) }
    if (!existsSync(this.#path(id))) writeFileSync(this.#path(id), JSON.stringify(kept))
    while (existsSync(join(this.#folder, 'wait.volume'))) await delay(10)
    if (!existsSync(join(this.#folder, 'fail.volume'))) return handleOf(id)
    rmSync(this.#path(id), { force: true })
    throw new MachineError('HOST_FULL', 'The disk of the cluster is full.')
  }

  /** Throws if the machine cannot have its volumes. */
  require({ id: machine, volumes = [] }: MachineSpec): void {
    for (const { id, readOnly = false } of volumes) {
      if (!existsSync(this.#path(id))) throw new MachineError('NOT_FOUND', `there is no volume ${id}`)
      const others = this.#usersOf(id, machine)
      if (others.some(other => !readOnly || !other.readOnly))
        throw new MachineError('STATE', `another machine has the volume ${id}`)
    }
  }

  async remove({ state }: VolumeHandle): Promise<void> {
    const id = String(state)
    if (this.#usersOf(id).length > 0) throw new MachineError('STATE', `a machine has the volume ${id}`)
    rmSync(this.#path(id), { force: true })
  }

  async list(): Promise<ListedVolume[]> {
    const ids = readdirSync(this.#folder).flatMap(name => /^(.*)\.volume$/.exec(name)?.[1] ?? [])
    return ids
      .filter(id => id !== 'wait' && id !== 'fail')
      .map(id => {
        const { owner }: Kept = JSON.parse(readFileSync(this.#path(id), 'utf8'))
        return { id, handle: handleOf(id), owner, usedMiB: 1.5 }
      })
  }

  #usersOf(id: string, except?: string) {
    return this.#specs()
      .filter(spec => spec.id !== except)
      .flatMap(({ volumes = [] }) => volumes.filter(volume => volume.id === id))
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.volume`)
  }
}
