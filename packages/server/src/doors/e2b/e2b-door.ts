import type { FastifyInstance } from 'fastify'
import type { Addresses } from './addresses.ts'
import { serveControl } from './control/routes.ts'
import { serveDaemon } from './daemon/routes.ts'
import type { DoorParts } from './door-parts.ts'
import { PortEntrance } from './ports/port-entrance.ts'

/** Serves E2B's interface, so that its clients can use this service unchanged. It translates to our own operations. */
export function addE2bDoor(app: FastifyInstance, parts: DoorParts, addresses: Addresses): void {
  serveControl(app, parts)
  serveDaemon(app, parts)
  parts.mappings.gateway.addEntrance(new PortEntrance(parts, addresses))
}
