import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { KeyedMutex } from '@sandglass/supervision'
import { MachineError } from '../../contract/errors.ts'
import type { MachineHandle } from '../../contract/handle.ts'
import type { MachineSpec } from '../../contract/spec.ts'
import type { Admission } from '../local/host/admission.ts'
import { machinePaths } from '../local/machine-paths.ts'
import { savedDiskPath } from '../local/storage/saved-records.ts'
import { validateSpec } from '../local/validate-spec.ts'
import { handleOf } from './handle.ts'
import { findVmDisk } from './images/find-vm-disk.ts'
import { hasAgent } from './machine/command-line.ts'
import { createVm, type NewVm, requireVmSpec } from './machine/creation.ts'
import { currentQemu } from './machine/qemu-version.ts'
import { type Origin, UnusableTemplate, type VmGround } from './machine/start-vm.ts'
import type { QemuSettings } from './options.ts'
import { savedFirmware, takeFirmware } from './storage/firmware-files.ts'
import { originOf } from './storage/restore-vm.ts'
import type { SavedVm } from './storage/saved-vm.ts'
import { cloneDisk, freshDisk } from './storage/vm-disk.ts'
import type { FoundTemplate, Templates } from './templates/templates.ts'

export interface VmCreationParts {
  readonly settings: QemuSettings
  readonly ground: () => Promise<VmGround>
  readonly admission: Admission
  readonly templates: Templates
  /** What changes one machine happens one after the other. */
  readonly mutex: KeyedMutex
  /** The machines that are being destroyed. */
  readonly leaving: ReadonlySet<Promise<void>>
}

/** Virtual machines have no roots that are prepared for them. */
const nothingPrepared = { preparingMiB: 0, clear: async () => {} }

/** Creates virtual machines that fit on the host: from a template, from an image, or as they were saved. */
export class VmCreation {
  readonly #parts: VmCreationParts

  constructor(parts: VmCreationParts) {
    this.#parts = parts
  }

  create(spec: MachineSpec, signal?: AbortSignal): Promise<MachineHandle> {
    return this.#admit(spec, signal, () => this.#create(spec, signal))
  }

  createFrom(saved: SavedVm, spec: MachineSpec, signal?: AbortSignal): Promise<MachineHandle> {
    return this.#admit(spec, signal, () => this.#createFrom(saved, spec, signal))
  }

  async #admit(
    spec: MachineSpec,
    signal: AbortSignal | undefined,
    create: () => Promise<void>,
  ): Promise<MachineHandle> {
    const { admission, mutex, leaving } = this.#parts
    validateSpec(spec)
    requireVmSpec(spec)
    signal?.throwIfAborted()
    const leave = () => Promise.allSettled(leaving)
    await admission.while(spec, { prepared: nothingPrepared, leave, signal }, () =>
      mutex.run(spec.id, create),
    )
    return handleOf(spec.id)
  }

  async #create(spec: MachineSpec, signal?: AbortSignal): Promise<void> {
    const { settings, templates } = this.#parts
    const source = await findVmDisk(settings, spec.image)
    const [ground, { machineType }] = await Promise.all([this.#parts.ground(), currentQemu()])
    const create = (makeDisk: NewVm['makeDisk']) =>
      createVm(ground, { spec, source, machineType, makeDisk }, signal)
    const template = hasAgent(source.guest) ? await templates.find(spec) : undefined
    if (
      template &&
      (await create(disk => this.#clone(template, disk, spec)).then(() => true, unlessUnusable))
    )
      return
    await create(async disk => {
      await freshDisk(settings, source, disk, spec.diskMiB)
      await takeFirmware(join(settings.imagesDir, source.folder), machinePaths(settings, spec.id))
      return { kind: 'boot' }
    })
    // The host can start machines, so it is the template that is broken.
    if (template) await templates.forget(template.key)
  }

  async #createFrom(saved: SavedVm, spec: MachineSpec, signal?: AbortSignal): Promise<void> {
    const { settings } = this.#parts
    const { source, id, memory } = saved
    const [ground, qemu] = await Promise.all([this.#parts.ground(), currentQemu()])
    if (memory && memory.acceleration !== settings.acceleration)
      throw new MachineError(
        'STATE',
        `the memory was saved with ${memory.acceleration}, and this host uses ${settings.acceleration}`,
      )
    const makeDisk = async (disk: string) => {
      const savedDisk = savedDiskPath(settings, id)
      await cloneDisk(settings, savedDisk, disk, spec.diskMiB)
      await takeFirmware(savedFirmware(savedDisk), machinePaths(settings, spec.id))
      return originOf(settings, saved)
    }
    const machineType = memory?.machineType ?? qemu.machineType
    await createVm(ground, { spec, source, machineType, makeDisk }, signal)
  }

  async #clone({ disk, origin }: FoundTemplate, target: string, { diskMiB }: MachineSpec): Promise<Origin> {
    try {
      await cloneDisk(this.#parts.settings, disk, target, diskMiB)
      return origin
    } catch (error) {
      // It was removed meanwhile.
      throw existsSync(disk) ? error : new UnusableTemplate(error)
    }
  }
}

function unlessUnusable(error: unknown): false {
  if (error instanceof UnusableTemplate) return false
  throw error
}
