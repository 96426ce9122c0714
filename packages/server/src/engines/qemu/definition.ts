import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { seeVmHost } from '@sandglass/machines/qemu-host'
import type { SettingValues } from '../../setting-table.ts'
import type { Settings } from '../../settings.ts'
import { defineEngine, type EngineContext } from '../engine-definition.ts'
import { optionsOf as localOptionsOf } from '../local/definition.ts'
import { localSettings } from '../local/settings.ts'
import type { QemuOptions } from './open-qemu.ts'
import { qemuSettings } from './settings.ts'
import { whyDisabled } from './why-disabled.ts'

/** Where it is noted whether KVM works. It does not survive a reboot, and belongs to root. */
const runFolder = '/run/sandglass'

/** Only the process that creates machines loads what does it. */
const loadEngine = () => import('@sandglass/machines/qemu')

/** The engine for virtual machines on this host. */
export const qemu = defineEngine({
  name: 'qemu',
  settings: qemuSettings,
  shared: localSettings,
  setUp: (values, settings) => {
    const options = optionsOf(values, settings)
    const probe = async () => (await loadEngine()).rememberedKvm(runFolder)
    const choices = { vms: values.SANDGLASS_VMS, acceleration: values.SANDGLASS_VM_ACCELERATION }
    const configure = async (context: EngineContext) => {
      const { opener } = await import('./opener.ts')
      return opener({ options, choices, context, probe })
    }
    return {
      disabled: whyDisabled(values, seeVmHost()),
      needsRoot: { instead: 'To run without virtual machines: SANDGLASS_VMS=off npm start', configure },
      isInstalled: existsSync(options.dataDir),
      configure,
      doctor: async () => await (await loadEngine()).vmDoctor({ ...choices, host: seeVmHost(), probe }),
      findExisting: async () => {
        const files = await readdir(options.dataDir).catch(() => [])
        if (files.length === 0) return undefined
        const { openQemu } = await import('./open-qemu.ts')
        // Nothing is started, so it does not matter how.
        const existing = await openQemu({ ...options, acceleration: 'emulation' })
        return {
          engine: existing.engine,
          madeFrom: 'image',
          removeHostResources: () => existing.dismantle(),
        }
      },
    }
  },
})

/** Virtual machines have a folder of their own, and share the images, the network and the disk with containers. */
export function optionsOf(
  values: SettingValues<typeof localSettings>,
  settings: Settings,
): Omit<QemuOptions, 'acceleration'> {
  const { runtime: _, ...options } = localOptionsOf(values, settings)
  return {
    ...options,
    dataDir: join(settings.SANDGLASS_DATA, 'qemu'),
    ownsImages: false,
  }
}
