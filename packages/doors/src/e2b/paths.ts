import type { IncomingMessage } from 'node:http'
import type { PortAddress } from './address.ts'
import { daemonPort } from './control/sandbox-view.ts'

/** Below these paths the service serves what clients call at its root, where its own pages and metrics are. */
export const controlPrefix = '/doors/e2b/control'
export const daemonPrefix = '/doors/e2b/daemon'

const controlled = /^\/(?:v\d\/)?(?:sandboxes|snapshots|templates|volumes|volumecontent|secrets)(?:[/?]|$)/

/** The content of volumes, for which clients send a token instead of their key. */
const contents = /^\/volumecontent\//

/**
 * Returns the path at which the service serves a request of a client, or undefined if the request is none. The control plane
 * shares its paths with pages for people, whose browsers send no key.
 */
export function servedPath(
  { url = '/', method, headers }: Pick<IncomingMessage, 'url' | 'method' | 'headers'>,
  address: PortAddress | undefined,
): string | undefined {
  if (address) {
    // A request that another node forwards is at its place already.
    if (address.port !== daemonPort || url.startsWith(`${daemonPrefix}/`)) return undefined
    return `${daemonPrefix}/${address.sandboxId}${url}`
  }
  const isPage = method === 'GET' && headers['x-api-key'] === undefined && !contents.test(url)
  return controlled.test(url) && !isPage ? `${controlPrefix}${url}` : undefined
}
