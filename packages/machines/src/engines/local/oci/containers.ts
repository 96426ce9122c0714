import { readFileSync } from 'node:fs'
import { machinePaths } from '../machine-paths.ts'
import type { Settings } from '../options.ts'
import type { MachineRecord } from '../records.ts'
import { groupOf } from './cgroups.ts'

type Named = Pick<MachineRecord, 'container' | 'spec'>

/** The container of a machine: the one that waited for it, or one with its own id. Its cgroup has the same name. */
export const containerOf = ({ container, spec }: Named): string => container ?? spec.id

/** Finds the containers of machines by their ids, for what happens too often to read a file each time. */
export class Containers {
  readonly #settings: Settings
  readonly #names = new Map<string, string>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** The path of a machine's cgroup. A machine keeps its container's name for good, so it is read once. */
  groupOf(id: string): string {
    let name = this.#names.get(id)
    if (name === undefined) {
      name = this.#read(id)
      if (name !== undefined) this.#names.set(id, name)
    }
    return groupOf(this.#settings.instance, name ?? id)
  }

  forget(id: string): void {
    this.#names.delete(id)
  }

  #read(id: string): string | undefined {
    try {
      const record: MachineRecord = JSON.parse(readFileSync(machinePaths(this.#settings, id).record, 'utf8'))
      return containerOf(record)
    } catch {
      // It is being created, or has been destroyed.
      return undefined
    }
  }
}
