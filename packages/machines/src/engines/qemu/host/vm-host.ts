import { existsSync } from 'node:fs'
import { missingPackages } from '../../local/host/debian-packages.ts'
import { vmPackages } from './packages.ts'

/** What can be seen of a host without running anything. */
export interface VmHost {
  readonly arch: string
  /** The required packages that are not installed. */
  readonly missing: readonly string[]
  readonly hasTun: boolean
}

export const tunDevice = '/dev/net/tun'

export function seeVmHost(): VmHost {
  const missing = missingPackages(vmPackages).filter(({ isOptional }) => !isOptional)
  return { arch: process.arch, missing: missing.map(({ name }) => name), hasTun: existsSync(tunDevice) }
}

/** Why no virtual machine can run on a host whatever is installed on it; undefined if one can. */
export function whyNoVms({ arch, hasTun }: VmHost): string | undefined {
  if (arch !== 'x64') return `Virtual machines need x86_64, and this host has ${arch}.`
  return hasTun ? undefined : `Virtual machines need ${tunDevice}, which this host does not have.`
}
