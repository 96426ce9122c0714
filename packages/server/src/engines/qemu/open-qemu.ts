import type { EngineOfHost } from '@sandglass/host'
import type { TemplateSpec } from '@sandglass/machines/contract'
import { buildVmDisk, listVmImages, QemuEngine, type QemuEngineOptions } from '@sandglass/machines/qemu'
import type { VmImage } from './image-shapes.ts'

/** The options of the engine for virtual machines. */
export interface QemuOptions extends QemuEngineOptions {
  readonly imagesDir: string
  readonly readyTimeoutMs: number
}

export interface BuildWork {
  readonly signal: AbortSignal
  readonly onProgress: (line: string) => void
}

/** The engine for virtual machines, with what the service needs to prepare it. */
export interface QemuOnHost {
  readonly engine: EngineOfHost
  /** The images of virtual machines that operators have added. */
  images(): Promise<readonly VmImage[]>
  /** Whether machines of the image can be created: it was added, or its disk was built. */
  isBuilt(image: string): Promise<boolean>
  /** Makes the disk of an image. */
  build(image: string, work: BuildWork): Promise<void>
  /** Whether machines of this kind start from saved memory. */
  hasTemplate(spec: TemplateSpec): Promise<boolean>
  /** Saves the memory of a machine of this kind that has booted. */
  saveTemplate(spec: TemplateSpec, work: BuildWork): Promise<void>
  /** Removes what all machines share, such as their network. */
  dismantle(): Promise<void>
}

export type OpenQemu = (options: QemuOptions) => Promise<QemuOnHost>

/** Opens the engine. It needs QEMU, which is installed by then. */
export const openQemu: OpenQemu = async options => {
  const engine = new QemuEngine(options)
  const { settings, memory } = engine
  await memory.sweep()
  return {
    engine,
    images: async () => (await listVmImages(settings.imagesDir)).map(({ image }) => image),
    isBuilt: image => engine.hasImage(image),
    build: async (image, work) => {
      if (!(await engine.hasImage(image))) await buildVmDisk(settings, image, work)
    },
    hasTemplate: async spec => (await engine.hasImage(spec.image)) && (await memory.has(spec)),
    saveTemplate: async (spec, { signal, onProgress }) => {
      onProgress('Booting a machine, whose memory others start from.')
      await memory.prepare(spec, { signal })
    },
    dismantle: () => engine.dismantle(),
  }
}
