import { join } from 'node:path'
import type { MachineSpec } from '../../../contract/spec.ts'
import type { Settings } from '../options.ts'
import type { FirstFiles } from '../rootfs/rootfs.ts'
import { addressOf, gateway, linkOf } from './addresses.ts'
import { markOf, policyRules, withoutPolicy } from './egress-rules.ts'
import { ip, type NetworkPlace, netnsExists, nft, runIn } from './namespaces.ts'
import { routerName, routerPlace } from './router.ts'

/** What a machine may reach, in force before it has a link, so that no packet ever leaves without it. */
export async function applyPolicy(settings: Settings, spec: MachineSpec, index: number): Promise<void> {
  const egress = spec.egress ?? 'internet'
  if (egress !== 'none') await nft(routerPlace(settings), policyRules(index, egress))
}

/** The machine's one link, when its policy is applied. With `none` there is none. */
export async function attachLink(
  settings: Settings,
  spec: MachineSpec,
  index: number,
  pid: number,
): Promise<void> {
  if (spec.egress === 'none') return
  const [link, address] = [linkOf(index), addressOf(index)]
  await ip(routerPlace(settings), [
    `link add ${link} type veth peer name eth0 netns ${pid}`,
    `link set ${link} up`,
    `route add ${address}/32 dev ${link}`,
  ])
  await ip({ pid }, [
    `addr add ${address}/32 dev eth0`,
    'link set eth0 up',
    `route add ${gateway}/32 dev eth0 scope link`,
    `route add default via ${gateway} dev eth0`,
  ])
}

/** No error when nothing is attached. */
export async function detachNetwork(settings: Settings, spec: MachineSpec, index: number): Promise<void> {
  const egress = spec.egress ?? 'internet'
  if (egress === 'none' || !netnsExists(routerName(settings))) return
  const router = routerPlace(settings)
  // The link goes with the machine's namespace; a failure says that it has gone already.
  await ip(router, [`link del ${linkOf(index)}`]).catch(() => {})
  await nft(router, withoutPolicy(index, egress))
  // The next machine with this address gets no answer that was meant for this one. Where the kernel cannot forget
  // them (doctor tries), flows end by their own time; none of them leads past the policy of the next.
  await forgetFlows(router, markOf(index)).catch(() => {})
}

/** What the router remembers of the flows with this mark. */
export async function forgetFlows(router: NetworkPlace, mark: number): Promise<void> {
  await runIn(router, 'perl', [join(import.meta.dirname, 'forget-flows.pl'), String(mark)])
}

/** The files by which programs in the machine find names. */
export function nameFiles(spec: MachineSpec): FirstFiles {
  return {
    'resolv.conf': spec.egress === 'none' ? '' : `nameserver ${gateway}\noptions timeout:3 attempts:2\n`,
    hosts: `127.0.0.1\tlocalhost ${spec.id}\n::1\tlocalhost\n`,
    hostname: `${spec.id}\n`,
  }
}
