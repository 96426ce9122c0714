import { basename } from 'node:path'
import type { Settings } from '../options.ts'
import type { CgroupLayout } from './cgroups.ts'
import { Runtime } from './runtime.ts'

/** The runtimes that a spec may name. */
export const runtimeNames = ['runc', 'runsc'] as const

/** The command that runs a machine: the runtime of the settings, unless the spec names another one. */
export function runtimeOf(
  settings: Pick<Settings, 'runtime'>,
  { runtime: name }: { readonly runtime?: string },
): string {
  if (name === undefined || name === basename(settings.runtime)) return settings.runtime
  return name
}

/** The runtimes of an engine. A machine keeps the runtime that it was created with, which its record names. */
export class Runtimes {
  readonly #settings: Settings
  readonly #layout: CgroupLayout
  readonly #runtimes = new Map<string, Runtime>()

  constructor(settings: Settings, layout: CgroupLayout) {
    this.#settings = settings
    this.#layout = layout
  }

  of({ runtime: command = this.#settings.runtime }: { readonly runtime?: string } = {}): Runtime {
    let runtime = this.#runtimes.get(command)
    if (!runtime) {
      runtime = new Runtime(this.#settings, this.#layout, command)
      this.#runtimes.set(command, runtime)
    }
    return runtime
  }
}
