import type { Abortable } from './abortable.ts'
import type { MachineSpec } from './spec.ts'

/** What machines must have in common to start from one template. */
export type TemplateSpec = Pick<MachineSpec, 'image' | 'cpus' | 'memoryMiB' | 'screen'>

/** A saved memory of a desktop that has booted. */
export interface MemoryTemplate extends TemplateSpec {
  /** What it occupies on disk. Machines that start from it share these pages until they write to them. */
  readonly sizeMiB: number
}

/**
 * Memory of booted machines, from which `Engine.create` starts further ones without booting. A create uses a template
 * that fits its spec by itself and boots where there is none, so templates only change how long a create takes.
 */
export interface MemoryTemplates {
  /** Boots a machine, saves its memory, and destroys it. One that is there already is kept. */
  prepare(spec: TemplateSpec, options?: Abortable): Promise<MemoryTemplate>
  list(): Promise<MemoryTemplate[]>
  /** Machines that were started from it go on. Repeating it is no error. */
  remove(spec: TemplateSpec): Promise<void>
}
