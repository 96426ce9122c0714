import { rm } from 'node:fs/promises'
import { MachineError } from '../../../contract/errors.ts'
import type { KeptDescription, KeptKind, KeptSpec, Transfer } from '../../../contract/transfer.ts'
import { type LocalEngineOptions, type Settings, settle } from '../options.ts'
import { closeDisks, openDisks } from '../storage/disk-volume.ts'
import { BaseTransfer } from './base-transfer.ts'
import { DiskTransfer } from './disk-transfer.ts'
import { VolumeTransfer } from './volume-transfer.ts'

/** How one kind of what the engine keeps is carried. */
export interface TransferOfKind {
  describe(id: string): Promise<KeptDescription | undefined>
  read<T>(id: string, use: (content: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T>
  requireUsable(spec: KeptSpec): Promise<void>
  write(spec: KeptSpec, content: AsyncIterable<Uint8Array>): Promise<void>
}

/** Carries the saved disks, volumes and base images of a data directory. */
export class LocalTransfer implements Transfer {
  readonly #settings: Settings
  readonly #kinds: Readonly<Record<KeptKind, TransferOfKind>>

  constructor(options: LocalEngineOptions) {
    this.#settings = settle(options)
    openDisks(this.#settings)
    this.#kinds = {
      base: new BaseTransfer(this.#settings),
      disk: new DiskTransfer(this.#settings),
      volume: new VolumeTransfer(this.#settings),
    }
  }

  describe(kind: KeptKind, id: string): Promise<KeptDescription | undefined> {
    return this.#of(kind, id).describe(id)
  }

  read<T>(kind: KeptKind, id: string, use: (content: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
    return this.#of(kind, id).read(id, use)
  }

  async requireUsable(kind: KeptKind, spec: KeptSpec): Promise<void> {
    await this.#of(kind, spec.id).requireUsable(spec)
  }

  async write(kind: KeptKind, spec: KeptSpec, content: AsyncIterable<Uint8Array>): Promise<void> {
    await this.requireUsable(kind, spec)
    await this.#of(kind, spec.id).write(spec, content)
  }

  async abandon(): Promise<void> {
    await closeDisks(this.#settings, false)
    await rm(this.#settings.dataDir, { recursive: true, force: true })
  }

  /** An id is the name of a file, so it must not lead elsewhere. */
  #of(kind: KeptKind, id: string): TransferOfKind {
    if (!/^[a-z0-9][a-z0-9.-]{0,99}$/.test(id)) throw new MachineError('INVALID', `${id} is not an id`)
    return this.#kinds[kind]
  }
}
