import type { OpenedOnHost } from '@sandglass/host'
import type { BaseImageBuild, TemplateSpec } from '@sandglass/machines/contract'
import { type Acceleration, type KvmFinding, vmPackages } from '@sandglass/machines/qemu'
import { seeVmHost, whyNoVms } from '@sandglass/machines/qemu-host'
import type { Catalogue } from '../../modules/shapes/catalogue.ts'
import type { EngineContext } from '../engine-definition.ts'
import { ImagePreparation, type ImageStates } from '../image-preparation.ts'
import { installPackages } from '../local/install-packages.ts'
import { offerOf } from './image-shapes.ts'
import { openQemu, type QemuOptions } from './open-qemu.ts'

/** How many times longer than on a processor an emulated machine may take to start. */
const emulationFactor = 10

export interface OpenerParts {
  readonly options: Omit<QemuOptions, 'acceleration'>
  readonly choices: {
    readonly vms: 'auto' | 'on' | 'off'
    readonly acceleration: 'auto' | Acceleration
  }
  readonly context: EngineContext
  /** Finds out whether KVM works. */
  readonly probe: () => Promise<KvmFinding>
  /** What tests replace. */
  readonly open?: typeof openQemu
  readonly install?: typeof installPackages
  readonly see?: typeof seeVmHost
}

/**
 * Returns what opens the engine. Everything that can be missing is found out there, because containers must run all the same:
 * what it throws is shown by `/readyz`, and tried again.
 */
export function opener({
  options,
  choices,
  context: { shapes, tell },
  probe,
  open = openQemu,
  install = installPackages,
  see = seeVmHost,
}: OpenerParts): () => Promise<OpenedOnHost> {
  return async () => {
    const impossible = whyNoVms(see())
    if (impossible !== undefined) throw new Error(`${impossible} To run without them: SANDGLASS_VMS=off`)
    if (choices.vms === 'on') await install(tell, vmPackages)
    const acceleration = await accelerationFor(choices.acceleration, probe)
    const states: ImageStates = {
      unavailableImages: new Map<string, string>(),
      imageBuilds: new Map<string, BaseImageBuild>(),
    }
    const readyTimeoutMs = options.readyTimeoutMs * (acceleration === 'emulation' ? emulationFactor : 1)
    const qemu = await open({ ...options, ...states, acceleration, readyTimeoutMs })
    const templates = templatesOf(shapes)
    const disks = await ImagePreparation.start(
      {
        images: [...vmImages(shapes), ...templates.keys()],
        nameOf: name => (templates.has(name) ? name : `virtual disk ${name}`),
        labelOf: name => (templates.has(name) ? name : `${name} (virtual disk)`),
        isBuilt: name => {
          const template = templates.get(name)
          return template ? qemu.hasTemplate(template) : qemu.isBuilt(name)
        },
        build: (name, work) => {
          const template = templates.get(name)
          return template ? qemu.saveTemplate(template, work) : qemu.build(name, work)
        },
      },
      states,
      tell,
    )
    return {
      engine: qemu.engine,
      prepared: disks.done,
      offer: async () => offerOf(await qemu.images(), acceleration, choices.acceleration === 'auto'),
      close: async () => {
        await disks.stop()
        await qemu.engine.close()
      },
    }
  }
}

async function accelerationFor(
  chosen: 'auto' | Acceleration,
  probe: () => Promise<KvmFinding>,
): Promise<Acceleration> {
  if (chosen === 'emulation') return 'emulation'
  const kvm = await probe()
  if (kvm.works) return 'kvm'
  if (chosen === 'auto') return 'emulation'
  throw new Error(
    `KVM does not work here: ${kvm.reason}. Set SANDGLASS_VM_ACCELERATION=auto to emulate virtual machines.`,
  )
}

const ofVms = (shapes: Catalogue) => shapes.all().filter(({ engine }) => engine === 'qemu')

/** The images that the shapes of virtual machines use. */
const vmImages = (shapes: Catalogue): string[] => [...new Set(ofVms(shapes).map(({ image }) => image))]

/**
 * The memory that machines of each shape start from, by the name that lists of builds show. A machine boots while there is none, so
 * these names are not those of images, which would be unavailable until then.
 */
function templatesOf(shapes: Catalogue): Map<string, TemplateSpec> {
  return new Map(
    ofVms(shapes).map(({ name, image, cpus, memoryMiB, diskMiB, screen }) => [
      `saved memory of ${name}`,
      { image, cpus, memoryMiB, diskMiB, ...(screen && { screen }) },
    ]),
  )
}
