import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MachineError } from '../../contract/errors.ts'
import type { MachineOwner } from '../../contract/spec.ts'
import { createAtomically, readJson, replaceAtomically } from './atomic-files.ts'

/** The record of a machine. */
export interface MachineRecord {
  readonly version: 1
  readonly pool: string
  /** Undefined until the machine has a device that is ready. */
  readonly address?: string
  readonly env: Readonly<Record<string, string>>
  readonly owner?: MachineOwner
}

export class MachineRecords {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async open(dataDir: string): Promise<MachineRecords> {
    const folder = join(dataDir, 'machines')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return new MachineRecords(folder)
  }

  async create(id: string, record: MachineRecord): Promise<void> {
    if (!(await createAtomically(this.#file(id), JSON.stringify(record))))
      throw new MachineError('STATE', `a machine ${id} exists already; destroy it or choose another id`)
  }

  async replace(id: string, record: MachineRecord): Promise<void> {
    await replaceAtomically(this.#file(id), JSON.stringify(record))
  }

  async read(id: string): Promise<MachineRecord | undefined> {
    return (await readJson(this.#file(id))) as MachineRecord | undefined
  }

  async remove(id: string): Promise<void> {
    await rm(this.#file(id), { force: true })
  }

  async ids(): Promise<string[]> {
    return (await readdir(this.#folder)).filter(name => name.endsWith('.json')).map(name => name.slice(0, -5))
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.json`)
  }
}
