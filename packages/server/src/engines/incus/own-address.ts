import { networkInterfaces } from 'node:os'
import type { InterfaceAddress } from '@sandglass/machines/incus-setup'
import { ClusterUsageError } from './cluster-arguments.ts'

type Interfaces = ReturnType<typeof networkInterfaces>

const addressesIn = (interfaces: Interfaces) =>
  Object.values(interfaces)
    .flatMap(addresses => addresses ?? [])
    .filter(({ family }) => family === 'IPv4')

/** The IPv4 addresses of this box, which machines must not have. */
export function interfaceAddresses(interfaces: Interfaces = networkInterfaces()): InterfaceAddress[] {
  return addressesIn(interfaces).map(({ address, cidr }) => ({
    address,
    prefix: Number(cidr?.split('/')[1] ?? 32),
  }))
}

/** The address by which other boxes reach this one, if there is no doubt. */
export function ownAddress(port: number, interfaces: Interfaces = networkInterfaces()): string {
  const candidates = addressesIn(interfaces).filter(({ internal }) => !internal)
  const [only] = candidates
  if (only && candidates.length === 1) return `${only.address}:${port}`
  const listed = candidates.map(({ address }) => address).join(', ')
  throw new ClusterUsageError(
    listed
      ? `This box has the addresses ${listed}. Say with --address which one other boxes reach.`
      : 'This box has no address but its own loopback. Say with --address where other boxes reach it.',
  )
}
