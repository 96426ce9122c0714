import type { AdbCredentialStore } from '@yume-chan/adb'
import { AdbLink } from '../../adb/adb-link.ts'
import { linkOver, type OpenLink } from '../../screens/adb/device.ts'
import { requireAddress } from './device-address.ts'
import { dialTcp } from './dial-tcp.ts'
import { openServerLink } from './server-link.ts'

/** Connects by the adb server that an address names, which has keys of its own, or to the adbd itself. */
export async function openLink(address: string, keys: AdbCredentialStore): Promise<AdbLink> {
  const { serial, ...endpoint } = requireAddress(address)
  if (serial !== undefined) return await openServerLink(endpoint, serial)
  return await AdbLink.open(await dialTcp(endpoint, `The device ${address}`), keys)
}

/** The same for a phone in use, whose adbd may be coming up. */
export function patientLink(address: string, keys: AdbCredentialStore): OpenLink {
  const { serial, ...endpoint } = requireAddress(address)
  if (serial !== undefined) return () => openServerLink(endpoint, serial)
  return linkOver(() => dialTcp(endpoint, `The device ${address}`), keys)
}
