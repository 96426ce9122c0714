import type { AdbCredentialStore } from '@yume-chan/adb'
import { AdbLink } from '../../adb/adb-link.ts'
import { linkOver, type OpenLink } from '../../screens/adb/device.ts'
import { requireAddress } from './device-address.ts'
import { dialTcp } from './dial-tcp.ts'
import { openServerLink } from './server-link.ts'

/** Connects through the adb server that the address names, which has its own keys, or directly to the adbd. */
export async function openLink(address: string, keys: AdbCredentialStore): Promise<AdbLink> {
  const { serial, ...endpoint } = requireAddress(address)
  if (serial !== undefined) return await openServerLink(endpoint, serial)
  return await AdbLink.open(await dialTcp(endpoint, `The device ${address}`), keys)
}

/** Like `openLink`, but retries for a while, because the adbd of a phone in use may be restarting. */
export function openLinkWithRetry(address: string, keys: AdbCredentialStore): OpenLink {
  const { serial, ...endpoint } = requireAddress(address)
  if (serial !== undefined) return () => openServerLink(endpoint, serial)
  return linkOver(() => dialTcp(endpoint, `The device ${address}`), keys)
}
