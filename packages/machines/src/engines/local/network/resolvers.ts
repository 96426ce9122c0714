import { readFile } from 'node:fs/promises'
import type { Settings } from '../options.ts'

/** A stub on the host's loopback cannot be reached from another namespace; what stands behind it can. */
const files = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf']

/** The name servers that sandboxes are led to: the given ones, or the host's own that are reachable from them. */
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
