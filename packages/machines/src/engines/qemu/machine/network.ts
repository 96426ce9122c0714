import type { MachineSpec } from '../../../contract/spec.ts'
import { addressOf, gateway, linkOf } from '../../local/network/addresses.ts'
import { ip, netnsPath } from '../../local/network/namespaces.ts'
import { applyPolicy, createNamespace, resolvesNames } from '../../local/network/network.ts'
import { routerPlace } from '../../local/network/router.ts'
import type { Settings } from '../../local/options.ts'

/** The end of the guest's network card, in the network namespace of its machine. */
export const tapName = 'tap0'

/**
 * Creates the network namespace of a virtual machine: the card of the guest and the link to the router are ports of one bridge, so
 * the guest has the address itself and the router sees it as it sees a container. With egress `none` there is no link. Its policy is
 * in force before the link is. Returns the file of the namespace.
 */
export async function createVmNetwork(
  settings: Settings,
  { egress }: Pick<MachineSpec, 'egress'>,
  index: number,
): Promise<string> {
  const [netns] = await Promise.all([
    createNamespace(settings, index),
    applyPolicy(settings, { egress }, index),
  ])
  await ip({ netns }, [
    'link add bridge type bridge stp_state 0 forward_delay 0 mcast_snooping 0',
    `tuntap add ${tapName} mode tap vnet_hdr`,
    ...portOf('bridge', tapName),
    'link set bridge up',
  ])
  if (egress !== 'none') await attachLink(settings, netns, index)
  return netnsPath(netns)
}

async function attachLink(settings: Settings, netns: string, index: number): Promise<void> {
  const link = linkOf(index)
  await ip(routerPlace(settings), [
    `link add ${link} type veth peer name eth0 netns ${netns}`,
    `link set ${link} up`,
    `route add ${addressOf(index)}/32 dev ${link}`,
  ])
  await ip({ netns }, portOf('bridge', 'eth0'))
}

/**
 * Makes a link a port of a bridge. With two ports there is nothing to learn: what arrives at one leaves at the other. A guest that
 * changes the address of its card with every frame would fill memory of the kernel that belongs to no machine.
 */
const portOf = (bridge: string, link: string): string[] => [
  `link set ${link} master ${bridge}`,
  `link set ${link} type bridge_slave learning off`,
  `link set ${link} up`,
]

/** What the DHCP server of a guest is told: its address, its gateway and where it resolves names. Undefined without a network. */
export function leaseOf(spec: Pick<MachineSpec, 'egress'>, index: number): string | undefined {
  if (spec.egress === 'none') return undefined
  return [addressOf(index), gateway, resolvesNames(spec) ? gateway : '-'].join(',')
}
