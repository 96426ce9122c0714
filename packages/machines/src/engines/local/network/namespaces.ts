import { existsSync } from 'node:fs'
import { type CommandOptions, runCommand } from '../host/run-command.ts'

/** A network namespace: the host's own, a named one, or that of a process. */
export type NetworkPlace = 'host' | { readonly netns: string } | { readonly pid: number }

/** Runs a command there. Only the network changes; files stay the host's. */
export function runIn(place: NetworkPlace, command: string, args: readonly string[], o?: CommandOptions) {
  if (place === 'host') return runCommand(command, args, o)
  const path = 'netns' in place ? netnsPath(place.netns) : `/proc/${place.pid}/ns/net`
  return runCommand('nsenter', [`--net=${path}`, '--', command, ...args], o)
}

/** Lines of `ip` run in order, stopping at the first that fails. */
export async function ip(place: NetworkPlace, lines: readonly string[]): Promise<void> {
  await runIn(place, 'ip', ['-batch', '-'], { input: `${lines.join('\n')}\n` })
}

/** One transaction: all of it holds, or none. */
export async function nft(place: NetworkPlace, rules: string): Promise<void> {
  await runIn(place, 'nft', ['-f', '-'], { input: rules })
}

export const netnsPath = (name: string): string => `/run/netns/${name}`
export const netnsExists = (name: string): boolean => existsSync(netnsPath(name))
