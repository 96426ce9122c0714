import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../host/run-command.ts'
import { Undo } from '../host/undo.ts'
import type { Settings } from '../options.ts'
import { gateway, uplinkPair } from './addresses.ts'
import { disableIpv6, ip, type NetworkPlace, netnsExists, nft, runIn } from './namespaces.ts'
import { resolversOf } from './resolvers.ts'

export const routerName = (settings: Settings): string => `sandglass-${settings.instance}`
export const routerPlace = (settings: Settings): NetworkPlace => ({ netns: routerName(settings) })

/** At most 15 characters, the limit for interface names. */
const uplinkName = (settings: Settings) => `sg${settings.instance}`
const upstreamTable = (settings: Settings) => `sandglass_${settings.instance}`
const rules = (name: string) => readFile(join(import.meta.dirname, name), 'utf8')

/**
 * Creates the router namespace unless it exists. Like the machines, it survives a restart of the service. If its rules
 * are those of another version of this engine, they are replaced; returns true if the policies of machines have to be
 * applied again then.
 */
export async function ensureRouter(settings: Settings): Promise<boolean> {
  if (await isComplete(settings)) {
    await checkSources(routerPlace(settings))
    return await replaceRules(settings)
  }
  await removeRouter(settings)
  const undo = new Undo()
  try {
    undo.add(() => removeRouter(settings))
    await runCommand('ip', ['netns', 'add', routerName(settings)])
    const router = routerPlace(settings)
    await disableIpv6(router)
    await checkSources(router)
    await nft(router, await routerRules(settings))
    if (settings.uplink !== 'none') await connectUplink(settings, settings.uplink)
    // This comes last, so that its presence shows that everything else was done.
    await ip(router, ['link set lo up', `addr add ${gateway}/32 dev lo`])
    return false
  } catch (error) {
    await undo.run()
    throw error
  }
}

/**
 * Lets the kernel accept an address only from the link that has the route to it, also in ARP, which the rules do not see. The
 * table of neighbours is shared by all network namespaces of the host: a virtual machine, which can send any frame, could fill it
 * with made-up ones.
 */
async function checkSources(router: NetworkPlace): Promise<void> {
  await runIn(router, 'sh', ['-c', 'echo 1 > /proc/sys/net/ipv4/conf/all/rp_filter'])
}

/** An empty chain, whose name tells which version of the rules is in force. */
const versionOf = (text: string) => `rules_${createHash('sha256').update(text).digest('hex').slice(0, 12)}`

async function routerRules(settings: Settings): Promise<string> {
  const text = (await rules('router.nft')).replaceAll('$gateway', gateway) + (await forwardDns(settings))
  return `${text}add chain inet sandglass ${versionOf(text)}\n`
}

/** Sets, maps and the chains of machines keep their contents. */
async function replaceRules(settings: Settings): Promise<boolean> {
  const router = routerPlace(settings)
  const text = await routerRules(settings)
  const chains = await runIn(router, 'nft', ['list', 'chains', 'inet'])
  const version = /rules_\w+/.exec(text)?.[0] ?? ''
  if (chains.includes(version)) return false
  const flushed = [...text.matchAll(/^ {2}chain (\w+) \{$/gm)]
    .filter(([, chain]) => chains.includes(`chain ${chain} {`))
    .map(([, chain]) => `flush chain inet sandglass ${chain}\n`)
  const old = [...chains.matchAll(/chain (rules_\w+) \{/g)].map(
    ([, chain]) => `delete chain inet sandglass ${chain}\n`,
  )
  await nft(router, [...flushed, ...old, text].join(''))
  if (settings.uplink !== 'none') await guardUpstream(settings, settings.uplink)
  return true
}

async function isComplete(settings: Settings): Promise<boolean> {
  if (!netnsExists(routerName(settings))) return false
  const shown = await runIn(routerPlace(settings), 'ip', ['-brief', 'addr', 'show', 'dev', 'lo']).catch(
    () => '',
  )
  return shown.includes(gateway)
}

/**
 * The rule that forwards DNS queries of sandboxes with access to the internet from the gateway to the resolver. This is
 * the only exception to the networks that they never reach.
 */
async function forwardDns(settings: Settings): Promise<string> {
  const [resolver] = await resolversOf(settings)
  if (!resolver) return ''
  const names = `iifname @resolving ip daddr ${gateway} meta l4proto { tcp, udp } th dport 53 dnat ip to ${resolver}`
  return `add rule inet sandglass names ${names}\n`
}

async function connectUplink(settings: Settings, uplink: 'host' | { readonly netns: string }): Promise<void> {
  const name = uplinkName(settings)
  const router = routerName(settings)
  const { outer, inner } = await freePair(settings, uplink)
  await ip(uplink, [
    `link add ${name} type veth peer name up netns ${router}`,
    `addr add ${outer}/30 dev ${name}`,
    `link set ${name} up`,
  ])
  await ip({ netns: router }, [
    `addr add ${inner}/30 dev up`,
    'link set dev up up',
    `route add default via ${outer}`,
  ])
  await guardUpstream(settings, uplink)
  for (const place of [{ netns: router }, uplink] as const) await enableForwarding(place)
}

/** Replaces the rules of an earlier version, if there are some. */
async function guardUpstream(settings: Settings, uplink: NetworkPlace): Promise<void> {
  const table = upstreamTable(settings)
  const text = (await rules('upstream.nft'))
    .replaceAll('$table', table)
    .replaceAll('$uplink', uplinkName(settings))
  await nft(uplink, `add table inet ${table}\ndelete table inet ${table}\n${text}`)
}

/** Enables forwarding only where packets of machines pass, and only if it is off. Doctor warns about the host. */
async function enableForwarding(place: NetworkPlace): Promise<void> {
  const script = 'read -r on < "$0"; [ "$on" = 1 ] || echo 1 > "$0"'
  await runIn(place, 'sh', ['-c', script, '/proc/sys/net/ipv4/ip_forward'])
}

/** Finds a pair of addresses that is unused on the upstream side. */
async function freePair(settings: Settings, uplink: NetworkPlace) {
  const taken = await runIn(uplink, 'ip', ['-4', '-brief', 'addr'])
  for (let attempt = 0; ; attempt++) {
    const pair = uplinkPair(settings.instance, attempt)
    if (!taken.includes(`${pair.outer}/`)) return pair
  }
}

/** Removes the router with all its links and the other end of the uplink. It is not an error if there is none. */
export async function removeRouter(settings: Settings): Promise<void> {
  const { uplink } = settings
  if (uplink !== 'none' && (uplink === 'host' || netnsExists(uplink.netns))) {
    const table = `table inet ${upstreamTable(settings)}`
    await nft(uplink, `add ${table}\ndelete ${table}\n`)
    await ip(uplink, [`link del ${uplinkName(settings)}`]).catch(() => {})
  }
  if (netnsExists(routerName(settings))) await runCommand('ip', ['netns', 'del', routerName(settings)])
}
