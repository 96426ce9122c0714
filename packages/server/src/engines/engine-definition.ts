import type { Check, Engine, PackageSource } from '@sandglass/machines/contract'
import type { Catalogue } from '../modules/shapes/catalogue.ts'
import { type Environment, readTable, type SettingTable, type SettingValues } from '../setting-table.ts'
import type { Settings } from '../settings.ts'

/** Reports to a person what is going on, one line at a time. */
export type Tell = (line: string) => void

/** What an engine gets to know of the service that opens it. */
export interface EngineContext {
  readonly shapes: Catalogue
  readonly tell: Tell
}

/** An engine that is open in this process. */
export interface OpenedEngine {
  readonly engine: Engine
  /** Fetches what applications are made of; left out where nothing can be fetched. */
  readonly packages?: PackageSource
  /** Settles when everything that is prepared in the background, such as images, is ready or has failed. */
  readonly prepared: Promise<void>
  close(): Promise<void>
}

/** Opens the engine. What it throws does not stop the service: the engine counts as down, and is opened again later. */
export type EngineOpener = () => Promise<OpenedEngine>

/** What a data directory has of an engine, so that `npm run dismantle` can remove it while the service is stopped. */
export interface ExistingEngine {
  readonly engine: Engine
  /** What its machines are made from, for a list that people read: `image`, `phone of pool`. */
  readonly madeFrom: string
  /** Removes what all machines of this box stood on, such as networks and mounts; called when the machines are gone. */
  readonly removeHostResources?: () => Promise<void>
}

/** An engine with its settings read: everything that the service asks of it before it is open. */
export interface EngineSetup {
  /** By which shapes refer to it. */
  readonly name: string
  /** Why this process has none of it, as a sentence that names the setting; undefined where it has. */
  readonly disabled: string | undefined
  /** Set where it only works as root, with what a person without root can do instead. */
  readonly needsRoot?: { readonly instead: string }
  /** Whether the data directory has something of it, also where it is disabled now. */
  readonly isInstalled: boolean
  /**
   * Checks what the operator has to put right: files that settings name, shapes that cannot be made, a box that lacks what
   * the engine needs. What it throws stops the start, so a daemon or a device that is away must not make it throw.
   */
  configure(context: EngineContext): Promise<EngineOpener>
  /** What `npm run doctor` reports, where it is enabled. */
  doctor(shapes: Catalogue): Promise<Check[]>
  /** Undefined where there is nothing to remove. */
  findExisting(tell: Tell): Promise<ExistingEngine | undefined>
}

/** One engine that the service can have: a folder next to this file, and a line in registry.ts. */
export interface EngineDefinition {
  readonly name: string
  readonly settings: SettingTable
  /** Reads its settings; a wrong one is a SettingError. */
  setUp(env: Environment, settings: Settings): EngineSetup
}

interface Definition<Table extends SettingTable> {
  readonly name: string
  readonly settings: Table
  /** `values` are its own settings, `settings` those of the service. */
  readonly setUp: (values: SettingValues<Table>, settings: Settings) => Omit<EngineSetup, 'name'>
}

/** Defines an engine, whose own settings are typed by its table. contributing/add-an-engine.md walks through one. */
export function defineEngine<const Table extends SettingTable>({
  name,
  settings: table,
  setUp,
}: Definition<Table>): EngineDefinition {
  return {
    name,
    settings: table,
    setUp: (env, settings) => ({ ...setUp(readTable(table, env), settings), name }),
  }
}
