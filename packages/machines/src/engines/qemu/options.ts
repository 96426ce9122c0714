import { join } from 'node:path'
import { type LocalEngineOptions, type Settings, settle } from '../local/options.ts'
import type { Acceleration } from './machine/command-line.ts'

export interface QemuEngineOptions extends Omit<LocalEngineOptions, 'runtime' | 'mapOwners'> {
  readonly acceleration: Acceleration
}

export interface QemuSettings extends Settings {
  readonly acceleration: Acceleration
  /** Saved memory of booted machines, from which others start. Engines with the same images share it. */
  readonly templatesDir: string
  /** Disks of templates where machines can clone them. */
  readonly templateDisksDir: string
}

/** A guest that is emulated boots and starts its desktop in this time, also on a busy host. */
const readyTimeoutMs = 180_000

export function settleQemu(options: QemuEngineOptions): QemuSettings {
  const settings = settle({ readyTimeoutMs, ...options })
  return {
    ...settings,
    acceleration: options.acceleration,
    templatesDir: join(settings.imagesDir, 'vm-templates'),
    templateDisksDir: join(settings.disksDir, 'templates'),
  }
}
