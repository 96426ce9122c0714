import { existsSync } from 'node:fs'
import { GroupedCalls } from '../host/grouped-calls.ts'
import { type CommandOptions, runCommand } from '../host/run-command.ts'

/** A network namespace: that of the host, a named one, or that of a process. */
export type NetworkPlace = 'host' | { readonly netns: string } | { readonly pid: number }

/** Runs a command in a network namespace. Only the network differs; files are those of the host. */
export function runIn(place: NetworkPlace, command: string, args: readonly string[], o?: CommandOptions) {
  if (place === 'host') return runCommand(command, args, o)
  return runCommand('nsenter', [`--net=${pathOf(place)}`, '--', command, ...args], o)
}

const pathOf = (place: Exclude<NetworkPlace, 'host'>) =>
  'netns' in place ? netnsPath(place.netns) : `/proc/${place.pid}/ns/net`

/** Runs lines of `ip` in order, and stops at the first that fails. */
export async function ip(place: NetworkPlace, lines: readonly string[]): Promise<void> {
  await runIn(place, 'ip', ['-batch', '-'], { input: `${lines.join('\n')}\n` })
}

export async function disableIpv6(place: NetworkPlace): Promise<void> {
  const script =
    'for k in all default; do f=/proc/sys/net/ipv6/conf/$k/disable_ipv6; [ ! -e $f ] || echo 1 > $f; done'
  await runIn(place, 'sh', ['-c', script])
}

const transactions = new GroupedCalls<string>(async (path, rules) => {
  await runCommand('nsenter', [`--net=${path}`, '--', 'nft', '-f', '-'], { input: rules.join('\n') })
})

/**
 * Applies rules in one transaction: either all of them or none. Rules that are requested while another transaction
 * of the same namespace is under way become one transaction, because a process for each would take most of the time.
 */
export async function nft(place: NetworkPlace, rules: string): Promise<void> {
  await transactions.call(place === 'host' ? '/proc/self/ns/net' : pathOf(place), rules)
}

export const netnsPath = (name: string): string => `/run/netns/${name}`
export const netnsExists = (name: string): boolean => existsSync(netnsPath(name))
