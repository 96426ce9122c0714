import type { Abortable } from './abortable.ts'
import type { MachineSpec } from './spec.ts'

/** What machines must have in common to start from one template. */
export type TemplateSpec = Pick<MachineSpec, 'image' | 'cpus' | 'memoryMiB' | 'diskMiB' | 'screen'>

/** The saved memory of a booted desktop. */
export interface MemoryTemplate extends TemplateSpec {
  /** What it occupies on disk. Machines that start from it share these pages until they write to them. */
  readonly sizeMiB: number
}

/**
 * Memory of booted machines, from which `Engine.create` starts others without booting them. A create uses a template
 * that matches its spec on its own, and boots if there is none, so templates only change how long a create takes.
 */
export interface MemoryTemplates {
  /** Boots a machine, saves its memory, and destroys it. An existing template is kept. */
  prepare(spec: TemplateSpec, options?: Abortable): Promise<MemoryTemplate>
  list(): Promise<MemoryTemplate[]>
  /** Machines that were started from it keep running. Repeating it is not an error. */
  remove(spec: TemplateSpec): Promise<void>
}
