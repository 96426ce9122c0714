import type { Pool } from '../db/database.ts'
import type { Api } from '../http/api.ts'
import { serveApiKeys } from './api-keys/routes.ts'
import { serveAudit } from './audit/routes.ts'
import { type MappingParts, serveMappings } from './mappings/routes.ts'
import { serveNodes } from './nodes/routes.ts'
import { serveOrganizations } from './organizations/routes.ts'
import { serveParsing } from './parsing/routes.ts'
import { servePlans } from './plans/routes.ts'
import { serveProjects } from './projects/routes.ts'
import { Reach } from './sandboxes/reach.ts'
import { type SandboxParts, serveSandboxes } from './sandboxes/routes.ts'
import { serveShapes } from './shapes/routes.ts'
import { serveStats } from './stats/routes.ts'
import { serveTrialTokens } from './trial-tokens/routes.ts'
import { serveUsage } from './usage/routes.ts'

/** Every operation that works. */
export function serveModules(
  api: Api,
  { db, prepared }: Pool,
  sandboxes: SandboxParts,
  mappings: MappingParts,
): void {
  const { shapes, keeper } = sandboxes
  const reach = new Reach(api, db, keeper)
  serveStats(api, prepared)
  serveShapes(api, shapes)
  serveProjects(api, prepared)
  serveOrganizations(api, db)
  serveApiKeys(api, db)
  serveTrialTokens(api, db, shapes)
  serveAudit(api, db)
  servePlans(api, db)
  serveNodes(api, db)
  serveParsing(api)
  serveUsage(api, db)
  serveSandboxes(api, reach, sandboxes)
  serveMappings(api, reach, db, mappings)
}
