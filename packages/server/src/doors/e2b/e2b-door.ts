import type { IncomingMessage } from 'node:http'
import { servedPath } from '@sandglass/doors/e2b'
import type { FastifyInstance } from 'fastify'
import { serveControl } from './control/routes.ts'
import { serveDaemon } from './daemon/routes.ts'
import type { DoorParts } from './door-parts.ts'

/** Serves E2B's interface, so that its clients can use this service unchanged. It translates to our own operations. */
export function addE2bDoor(app: FastifyInstance, parts: DoorParts): void {
  serveControl(app, parts)
  serveDaemon(app, parts)
}

/** Changes the path of a client's request to where the service serves it. All other requests are left as they are. */
export function leadIn(request: IncomingMessage, domain: string): void {
  const path = servedPath(request, domain)
  if (path !== undefined) request.url = path
}
