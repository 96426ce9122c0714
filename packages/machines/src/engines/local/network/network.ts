import { join } from 'node:path'
import type { Egress, MachineSpec } from '../../../contract/spec.ts'
import { runCommand } from '../host/run-command.ts'
import type { MachinePaths } from '../machine-paths.ts'
import type { Settings } from '../options.ts'
import { unmountBelow } from '../rootfs/mounts.ts'
import type { IdentityFiles } from '../rootfs/rootfs.ts'
import { addressOf, gateway, linkOf } from './addresses.ts'
import { hostsOf, markOf, policyRules, withoutPolicy } from './egress-rules.ts'
import { disableIpv6, ip, type NetworkPlace, netnsExists, netnsPath, nft, runIn } from './namespaces.ts'
import { routerName, routerPlace } from './router.ts'

/** The policy of a network that was created before its machine was requested: that of most machines. */
export const preparedEgress = 'internet'

/**
 * Applies the egress policy of a machine. This happens before the machine has a link, so that no packet leaves
 * without it.
 */
export async function applyPolicy(
  settings: Settings,
  spec: Pick<MachineSpec, 'egress'>,
  index: number,
): Promise<void> {
  const egress = spec.egress ?? 'internet'
  if (egress !== 'none') await changeRules(settings, egress, index, policyRules(index, egress))
}

/**
 * A service that ended while it created a machine may have left the policy of a prepared network, which a list of
 * networks contradicts.
 */
async function changeRules(settings: Settings, egress: Egress, index: number, rules: string): Promise<void> {
  const router = routerPlace(settings)
  await nft(router, rules).catch(async error => {
    if (egress === preparedEgress) throw error
    await nft(router, withoutPolicy(index, preparedEgress) + rules)
  })
}

const creator = join(import.meta.dirname, 'create-network.pl')

/**
 * Creates the network namespace of a machine, in its user namespace, with its only link. Its policy must be in force.
 * With `none` there is no link.
 */
export async function createNetwork(
  settings: Settings,
  paths: MachinePaths,
  { egress }: Pick<MachineSpec, 'egress'>,
  index: number,
): Promise<void> {
  const link = [netnsPath(routerName(settings)), linkOf(index), addressOf(index), gateway]
  const args = [creator, paths.userNamespace, paths.networkNamespace, ...(egress === 'none' ? [] : link)]
  await runCommand('perl', args)
}

/**
 * Gives a prepared network the policy of its machine. This happens before the machine starts, so that no packet leaves
 * without it.
 */
export async function adaptNetwork(settings: Settings, spec: MachineSpec, index: number): Promise<void> {
  const { egress = preparedEgress } = spec
  if (egress === preparedEgress) return
  if (egress === 'none') return await removeLink(settings, preparedEgress, index)
  await nft(routerPlace(settings), withoutPolicy(index, preparedEgress) + policyRules(index, egress))
}

/** Removes the network namespace that {@link createNetwork} created, where no process uses it any more. */
export async function removeNetwork(paths: MachinePaths): Promise<void> {
  await unmountBelow(paths.networkNamespace)
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
 * Attaches the only link of such a machine, after its policy is applied. With `none` there is no link.
 */
export async function attachLink(
  settings: Settings,
  spec: MachineSpec,
  index: number,
  netns: string,
): Promise<void> {
  if (spec.egress === 'none') return
  const [link, address] = [linkOf(index), addressOf(index)]
  await ip(routerPlace(settings), [
    `link add ${link} type veth peer name eth0 netns ${netns}`,
    `link set ${link} up`,
    `route add ${address}/32 dev ${link}`,
  ])
  await ip({ netns }, [
    `addr add ${address}/32 dev eth0`,
    'link set eth0 up',
    `route add ${gateway}/32 dev eth0 scope link`,
    `route add default via ${gateway} dev eth0`,
  ])
}

/** Removes link and policy. It is not an error if nothing is attached. */
export async function detachNetwork(
  settings: Settings,
  { egress = preparedEgress }: Pick<MachineSpec, 'egress'>,
  index: number,
): Promise<void> {
  const name = namespaceName(settings, index)
  if (netnsExists(name)) await runCommand('ip', ['netns', 'del', name])
  if (!netnsExists(routerName(settings))) return
  // A machine without a link may still have that of a prepared network, if the service ended while it was created.
  await removeLink(settings, egress === 'none' ? preparedEgress : egress, index)
  // Delete tracked connections, so that the next machine with this address receives no answers that were meant for
  // this one. If the kernel cannot do that (doctor checks it), they expire; none of them bypasses the policy of the
  // next machine.
  await forgetFlows(routerPlace(settings), markOf(index)).catch(() => {})
}

/** Removes a prepared network, in which no process has run. It is not an error if there is none. */
export async function removeUnusedNetwork(
  settings: Settings,
  paths: MachinePaths,
  index: number,
): Promise<void> {
  await removeNetwork(paths)
  if (netnsExists(routerName(settings))) await removeLink(settings, preparedEgress, index)
}

async function removeLink(settings: Settings, egress: Exclude<Egress, 'none'>, index: number): Promise<void> {
  const router = routerPlace(settings)
  // The link disappears with the network namespace of the machine, so it may be gone already.
  await ip(router, [`link del ${linkOf(index)}`]).catch(() => {})
  await changeRules(settings, egress, index, withoutPolicy(index, egress))
}

/** Deletes the tracked connections with this mark. */
export async function forgetFlows(router: NetworkPlace, mark: number): Promise<void> {
  await runIn(router, 'perl', [join(import.meta.dirname, 'forget-flows.pl'), String(mark)])
}

export const resolvesNames = ({ egress = 'internet' }: Pick<MachineSpec, 'egress'>): boolean =>
  egress === 'internet' || hostsOf(egress).length > 0

/** The files by which programs in the machine resolve names. */
export function identityFilesOf(spec: MachineSpec): IdentityFiles {
  return {
    'resolv.conf': resolvesNames(spec) ? `nameserver ${gateway}\noptions timeout:3 attempts:2\n` : '',
    hosts: `127.0.0.1\tlocalhost ${spec.id}\n::1\tlocalhost\n`,
    hostname: `${spec.id}\n`,
  }
}
