import { open } from 'node:fs/promises'
import { KeyedMutex } from '@sandglass/supervision'
import type { Abortable } from '../../../contract/abortable.ts'
import type { MemoryTemplate, MemoryTemplates, TemplateSpec } from '../../../contract/memory-templates.ts'
import type { MachineSpec } from '../../../contract/spec.ts'
import { listIds } from '../../local/records.ts'
import type { VmSource } from '../images/find-vm-disk.ts'
import { currentQemu } from '../machine/qemu-version.ts'
import type { Origin } from '../machine/start-vm.ts'
import type { QemuSettings } from '../options.ts'
import { clonableDisk, removeCopies } from './clonable-disk.ts'
import { MemoryHolder } from './memory-holder.ts'
import { templateKey } from './template-key.ts'
import { type TemplateFiles, TemplateStore } from './template-store.ts'

/** Machines that exist only for their memory have ids that begin like this, and are nobody's. */
export const templateMachine = 'template-'
const templatePids = 4096

/** What templates need of the engine. */
export interface TemplateEngine {
  readonly settings: QemuSettings
  findImage(name: string): Promise<VmSource>
  /** Boots a machine, saves its state and its disk when its desktop is ready, and removes it. */
  record(spec: MachineSpec, files: TemplateFiles, signal?: AbortSignal): Promise<void>
  remove(id: string): Promise<void>
}

/** A template that a machine can start from. */
export interface FoundTemplate {
  readonly key: string
  readonly disk: string
  readonly origin: Extract<Origin, { kind: 'template' }>
}

/** The memory of booted machines, which others start from. */
export class Templates implements MemoryTemplates {
  readonly #engine: TemplateEngine
  readonly #store: TemplateStore
  readonly #holder = new MemoryHolder()
  readonly #mutex = new KeyedMutex()

  constructor(engine: TemplateEngine) {
    this.#engine = engine
    this.#store = new TemplateStore(engine.settings)
  }

  async prepare(spec: TemplateSpec, { signal }: Abortable = {}): Promise<MemoryTemplate> {
    const key = await this.#keyOf(spec)
    await this.#mutex.run(key, async () => {
      if (await this.#store.find(key)) return
      await this.#make(key, spec, signal)
    })
    const { template } = (await this.#store.list()).find(found => found.key === key) ?? {}
    if (!template) throw new Error(`the template ${key} was removed while it was made`)
    return template
  }

  async #make(key: string, spec: TemplateSpec, signal?: AbortSignal): Promise<void> {
    const { image, cpus, memoryMiB, diskMiB, screen } = spec
    const id = `${templateMachine}${key}`
    await this.#engine.remove(id)
    await this.#store.removeUnused()
    const keys = await this.#store.keys()
    await removeCopies(this.#engine.settings, name => !keys.some(one => name.startsWith(`${one}-`)))
    const files = await this.#store.begin(key)
    try {
      const memory = await open(files.memory, 'wx', 0o600)
      await memory.truncate(memoryMiB * 1024 * 1024)
      await memory.close()
      const whole = { id, image, cpus, memoryMiB, diskMiB, pids: templatePids, egress: 'none' } as const
      await this.#engine.record({ ...whole, ...(screen && { screen }) }, files, signal)
      await this.#store.complete(key, files, { image, cpus, memoryMiB, diskMiB, ...(screen && { screen }) })
    } catch (error) {
      await this.#store.abandon(files)
      throw error
    }
  }

  /** Removes what a service left that ended while it made a template. */
  async sweep(): Promise<void> {
    for (const id of await listIds(this.#engine.settings))
      if (id.startsWith(templateMachine)) {
        const key = id.slice(templateMachine.length)
        await this.#mutex.run(key, () => this.#engine.remove(id))
      }
    await this.#store.removeAbandoned()
  }

  async has(spec: TemplateSpec): Promise<boolean> {
    return (await this.#store.find(await this.#keyOf(spec))) !== undefined
  }

  /** The template for a machine, if there is one whose memory fits into that of the host. */
  async find(spec: TemplateSpec): Promise<FoundTemplate | undefined> {
    const key = await this.#keyOf(spec)
    const stored = await this.#store.find(key)
    if (!stored) return undefined
    const memory = await this.#holder.pathOf(key, stored).catch(() => undefined)
    if (memory === undefined) return undefined
    const disk = await clonableDisk(this.#engine.settings, key, stored)
    return { key, disk, origin: { kind: 'template', memory, state: stored.state } }
  }

  async list(): Promise<MemoryTemplate[]> {
    return (await this.#store.list()).map(({ template }) => template)
  }

  async remove(spec: TemplateSpec): Promise<void> {
    await this.forget(await this.#keyOf(spec))
  }

  /** A template that a machine could not start from is of no use. */
  async forget(key: string): Promise<void> {
    this.#holder.release(key)
    await this.#store.remove(key)
    await removeCopies(this.#engine.settings, name => name.startsWith(`${key}-`))
  }

  close(): void {
    this.#holder.close()
  }

  async #keyOf(spec: TemplateSpec): Promise<string> {
    const [source, qemu] = await Promise.all([this.#engine.findImage(spec.image), currentQemu()])
    const { acceleration } = this.#engine.settings
    return templateKey({ spec, source, qemu, hardware: { acceleration, machineType: qemu.machineType } })
  }
}
