import { AdbLink } from '../../adb/adb-link.ts'
import { linkOver, type OpenLink } from '../../screens/adb/device.ts'
import { requireAddress } from './device-address.ts'
import type { DeviceRoute } from './device-route.ts'
import { openServerLink } from './server-link.ts'

/** Connects through the adb server that the address names, which has its own keys, or directly to the adbd. */
export async function openLink(route: DeviceRoute): Promise<AdbLink> {
  const { serial } = requireAddress(route.address)
  if (serial !== undefined) return await openServerLink(route, serial)
  return await AdbLink.open(await route.dial(), route.keys)
}

/** Like `openLink`, but retries for a while, because the adbd of a phone in use may be restarting. */
export function openLinkWithRetry(route: DeviceRoute): OpenLink {
  const { serial } = requireAddress(route.address)
  if (serial !== undefined) return () => openServerLink(route, serial)
  return linkOver(() => route.dial(), route.keys)
}
