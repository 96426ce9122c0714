import { readFile } from 'node:fs/promises'
import type { Settings } from '../options.ts'

/** A stub resolver on the host's loopback cannot be reached from another namespace, but the servers behind it can. */
const files = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf']

/**
 * Returns the name servers for sandboxes: the configured ones, or those of the host that are reachable from a
 * sandbox.
 */
export async function resolversOf(settings: Pick<Settings, 'resolvers'>): Promise<readonly string[]> {
  if (settings.resolvers) return settings.resolvers
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => '')
    const servers = [...text.matchAll(/^nameserver\s+(\d+\.\d+\.\d+\.\d+)\s*$/gm)]
      .map(match => match[1] ?? '')
      .filter(server => !server.startsWith('127.'))
    if (servers.length > 0) return servers
  }
  return []
}
