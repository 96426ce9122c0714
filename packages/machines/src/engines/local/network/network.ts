import { join } from 'node:path'
import type { MachineSpec } from '../../../contract/spec.ts'
import { runCommand } from '../host/run-command.ts'
import type { Settings } from '../options.ts'
import type { IdentityFiles } from '../rootfs/rootfs.ts'
import { addressOf, gateway, linkOf } from './addresses.ts'
import { hostsOf, markOf, policyRules, withoutPolicy } from './egress-rules.ts'
import { disableIpv6, ip, type NetworkPlace, netnsExists, nft, runIn } from './namespaces.ts'
import { routerName, routerPlace } from './router.ts'

/**
 * Applies the egress policy of a machine. This happens before the machine has a link, so that no packet leaves
 * without it.
 */
export async function applyPolicy(settings: Settings, spec: MachineSpec, index: number): Promise<void> {
  const egress = spec.egress ?? 'internet'
  if (egress !== 'none') await nft(routerPlace(settings), policyRules(index, egress))
}

const namespaceName = (settings: Settings, index: number) => `${routerName(settings)}-${index}`

/**
 * Creates a network namespace with a name, for a machine whose runtime reads the network before it starts. Returns its
 * name.
 */
export async function createNamespace(settings: Settings, index: number): Promise<string> {
  const name = namespaceName(settings, index)
  await runCommand('ip', ['netns', 'add', name])
  await disableIpv6({ netns: name })
  await ip({ netns: name }, ['link set lo up'])
  return name
}

/**
 * Attaches the only link of the machine, after its policy is applied. With `none` there is no link. The place is the
 * network namespace of the machine.
 */
export async function attachLink(
  settings: Settings,
  spec: MachineSpec,
  index: number,
  place: Exclude<NetworkPlace, 'host'>,
): Promise<void> {
  if (spec.egress === 'none') return
  const [link, address] = [linkOf(index), addressOf(index)]
  await ip(routerPlace(settings), [
    `link add ${link} type veth peer name eth0 netns ${'pid' in place ? place.pid : place.netns}`,
    `link set ${link} up`,
    `route add ${address}/32 dev ${link}`,
  ])
  await ip(place, [
    `addr add ${address}/32 dev eth0`,
    'link set eth0 up',
    `route add ${gateway}/32 dev eth0 scope link`,
    `route add default via ${gateway} dev eth0`,
  ])
}

/** Removes link and policy. It is not an error if nothing is attached. */
export async function detachNetwork(settings: Settings, spec: MachineSpec, index: number): Promise<void> {
  const egress = spec.egress ?? 'internet'
  const name = namespaceName(settings, index)
  if (netnsExists(name)) await runCommand('ip', ['netns', 'del', name])
  if (egress === 'none' || !netnsExists(routerName(settings))) return
  const router = routerPlace(settings)
  // The link disappears with the network namespace of the machine, so it may be gone already.
  await ip(router, [`link del ${linkOf(index)}`]).catch(() => {})
  await nft(router, withoutPolicy(index, egress))
  // Delete tracked connections, so that the next machine with this address receives no answers that were meant for
  // this one. If the kernel cannot do that (doctor checks it), they expire; none of them bypasses the policy of the
  // next machine.
  await forgetFlows(router, markOf(index)).catch(() => {})
}

/** Deletes the tracked connections with this mark. */
export async function forgetFlows(router: NetworkPlace, mark: number): Promise<void> {
  await runIn(router, 'perl', [join(import.meta.dirname, 'forget-flows.pl'), String(mark)])
}

const resolvesNames = ({ egress = 'internet' }: MachineSpec) =>
  egress === 'internet' || hostsOf(egress).length > 0

/** The files by which programs in the machine resolve names. */
export function identityFilesOf(spec: MachineSpec): IdentityFiles {
  return {
    'resolv.conf': resolvesNames(spec) ? `nameserver ${gateway}\noptions timeout:3 attempts:2\n` : '',
    hosts: `127.0.0.1\tlocalhost ${spec.id}\n::1\tlocalhost\n`,
    hostname: `${spec.id}\n`,
  }
}
