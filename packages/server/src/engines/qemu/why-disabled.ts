import { type VmHost, whyNoVms } from '@sandglass/machines/qemu-host'
import type { SettingValues } from '../../setting-table.ts'
import type { localSettings } from '../local/settings.ts'
import type { qemuSettings } from './settings.ts'

type Values = Pick<SettingValues<typeof localSettings>, 'SANDGLASS_MACHINES'> &
  Pick<SettingValues<typeof qemuSettings>, 'SANDGLASS_VMS'>

/**
 * Returns why this process runs no virtual machines; undefined if it does. With `auto`, nothing is installed for them, so
 * a host without QEMU starts as if they did not exist.
 */
export function whyDisabled(
  { SANDGLASS_MACHINES: machines, SANDGLASS_VMS: vms }: Values,
  host: VmHost,
): string | undefined {
  if (machines === 'none') return 'This process creates no machines on its host (SANDGLASS_MACHINES is none).'
  if (vms === 'off') return 'This process runs no virtual machines (SANDGLASS_VMS is off).'
  if (vms === 'on') return undefined
  const impossible = whyNoVms(host)
  if (impossible !== undefined) return impossible
  if (host.missing.length === 0) return undefined
  return `Virtual machines need ${host.missing.join(', ')}; start the service with SANDGLASS_VMS=on to install what is missing.`
}
