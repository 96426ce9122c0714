import type { OpenedOnHost, ShapeOffer } from '@sandglass/host'
import type { Check, Engine, PackageSource, Transfer } from '@sandglass/machines/contract'
import type { Catalogue } from '../modules/shapes/catalogue.ts'
import { type Environment, readTable, type SettingTable, type SettingValues } from '../setting-table.ts'
import type { Settings } from '../settings.ts'

/** Reports progress to a person, one line at a time. */
export type Tell = (line: string) => void

/** What the service provides to an engine that it opens. */
export interface EngineContext {
  readonly shapes: Catalogue
  readonly tell: Tell
}

/** An engine that is open in this process. */
export interface OpenedEngine {
  readonly engine: Engine
  /** Fetches application packages; absent if the engine cannot install any. */
  readonly packages?: PackageSource
  /** What it adds to the catalogue of shapes now. Left out by engines that add nothing. */
  readonly offer?: () => Promise<ShapeOffer>
  /** Settles when background preparation, such as building images, has succeeded or failed. */
  readonly prepared: Promise<void>
  close(): Promise<void>
}

/** Opens the engine. An error does not stop the service: the engine counts as down, and opening it is retried with backoff. */
export type EngineOpener = () => Promise<OpenedEngine>

/**
 * An engine that has machines in a data directory, so that `npm run dismantle` can remove them while the service is
 * stopped.
 */
export interface ExistingEngine {
  readonly engine: Engine
  /** What its machines are made from, for the list that people read, such as `image` or `phone of pool`. */
  readonly madeFrom: string
  /** Removes what all machines of this host share, such as networks and mounts. Called after the machines were destroyed. */
  readonly removeHostResources?: () => Promise<void>
}

export interface NeedsRoot {
  /** What a person without root can do. */
  readonly instead: string
  /** `configure`, in the host process. */
  configure(context: EngineContext): Promise<() => Promise<OpenedOnHost>>
  /** {@link OpenedEngine.packages}, in the process of the service, because root must not read what machines say about themselves. */
  packages?(): PackageSource
}

/** An engine whose settings were read, with everything that the service needs from it before it is open. */
export interface EngineSetup {
  /** The name by which shapes refer to the engine. */
  readonly name: string
  /** Why this process does not use the engine, as a sentence that names the setting; undefined if it does. */
  readonly disabled: string | undefined
  /** Present if the engine works only as root. The host process then opens it for the service. */
  readonly needsRoot?: NeedsRoot
  /** Whether the data directory contains data of the engine, even if it is disabled now. */
  readonly isInstalled: boolean
  /**
   * Checks what only the operator can fix: files that settings name, shapes that cannot be created, a host that lacks what
   * the engine needs. An error stops the start, so it must not throw because a daemon or a device cannot be reached.
   */
  configure(context: EngineContext): Promise<EngineOpener>
  /** Runs the checks for `npm run doctor`. Called only if the engine is enabled. */
  doctor(shapes: Catalogue): Promise<Check[]>
  /**
   * Opens the part that carries saved disks and volumes to other hosts. With `isNew`, the host is prepared to receive some, and
   * otherwise it is undefined if the data directory has none. Left out by engines that cannot carry any.
   */
  openTransfer?(options: { readonly isNew: boolean; readonly tell: Tell }): Promise<Transfer | undefined>
  /** Returns undefined if there is nothing to remove. */
  findExisting(tell: Tell): Promise<ExistingEngine | undefined>
}

/** An engine that the service supports. Each one is a folder next to this file and a line in registry.ts. */
export interface EngineDefinition {
  readonly name: string
  readonly settings: SettingTable
  /** Loads what opens the engine, which only a process does that uses it. Left out by engines that a front never opens. */
  readonly load?: (() => Promise<unknown>) | undefined
  /** Reads the settings of the engine. Throws a SettingError if one is not valid. */
  setUp(env: Environment, settings: Settings): EngineSetup
}

interface Definition<Table extends SettingTable, Shared extends SettingTable> {
  readonly name: string
  readonly settings: Table
  /** Settings of another engine that apply to this one as well. They are documented there. */
  readonly shared?: Shared
  readonly load?: EngineDefinition['load']
  /** `values` are the settings of the engine, `settings` those of the service. */
  readonly setUp: (values: SettingValues<Table & Shared>, settings: Settings) => Omit<EngineSetup, 'name'>
}

const noSettings = {} as const satisfies SettingTable

/** Defines an engine whose settings get their types from its table. See contributing/add-an-engine.md for an example. */
export function defineEngine<
  const Table extends SettingTable,
  const Shared extends SettingTable = typeof noSettings,
>({ name, settings: table, shared, load, setUp }: Definition<Table, Shared>): EngineDefinition {
  const all = { ...shared, ...table } as Table & Shared
  return {
    name,
    settings: table,
    load,
    setUp: (env, settings) => ({ ...setUp(readTable(all, env), settings), name }),
  }
}
