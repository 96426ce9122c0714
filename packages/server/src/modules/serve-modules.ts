import { type EffectiveSetting, getSettings } from '@sandglass/protocol'
import type { Logger } from 'pino'
import type { CredentialsFile } from '../credentials-file.ts'
import type { Pool } from '../db/database.ts'
import type { EventTail } from '../events/tail.ts'
import type { Api } from '../http/api.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Pictures } from '../pictures/pictures.ts'
import type { Settings } from '../settings.ts'
import type { Execution } from './actions/execution.ts'
import { serveActions } from './actions/routes.ts'
import { serveApiKeys } from './api-keys/routes.ts'
import type { ApplicationCatalogue } from './applications/catalogue.ts'
import { serveApplications } from './applications/routes.ts'
import { serveAudit } from './audit/routes.ts'
import { type BrowserParts, serveBrowsers } from './browsers/routes.ts'
import { serveEvents } from './events/routes.ts'
import { serveFiles } from './files/routes.ts'
import type { ImageBuilds } from './images/builds/image-builds.ts'
import { serveMadeImages } from './images/made-images.ts'
import { serveImages } from './images/routes.ts'
import { serveLimits } from './limits/routes.ts'
import type { Live } from './live/live.ts'
import { serveLive } from './live/routes.ts'
import { type MappingParts, serveMappings } from './mappings/routes.ts'
import { serveMcpActivity } from './mcp/activity/routes.ts'
import { serveMcpServers } from './mcp-servers/routes.ts'
import { serveNodes } from './nodes/routes.ts'
import { Rotations } from './operator-keys/rotations.ts'
import { serveOperatorKeys } from './operator-keys/routes.ts'
import { serveOrganizations } from './organizations/routes.ts'
import { serveParsing } from './parsing/routes.ts'
import { Texts } from './parsing/texts.ts'
import { servePlans } from './plans/routes.ts'
import { serveProcesses } from './processes/routes.ts'
import { serveProjects } from './projects/routes.ts'
import { serveSandboxOperations } from './sandboxes/operator-routes.ts'
import type { SandboxParts } from './sandboxes/parts.ts'
import type { PendingSandboxes } from './sandboxes/pending-sandboxes.ts'
import { serveSandboxes } from './sandboxes/routes.ts'
import type { SandboxLive } from './sandboxes/sandbox-live.ts'
import type { SandboxRouter } from './sandboxes/sandbox-router.ts'
import { type SessionParts, serveSessions } from './sessions/routes.ts'
import { serveShapes } from './shapes/routes.ts'
import { serveShells } from './shells/routes.ts'
import type { Shells } from './shells/shells.ts'
import { serveSnapshots } from './snapshots/routes.ts'
import { serveStats } from './stats/routes.ts'
import { serveThumbnails } from './thumbnails/routes.ts'
import type { Thumbnails } from './thumbnails/thumbnails.ts'
import { serveTimeline } from './timeline/routes.ts'
import { serveTrialTokens } from './trial-tokens/routes.ts'
import { serveTunnels } from './tunnels/routes.ts'
import type { TunnelService } from './tunnels/tunnel-service.ts'
import { serveUsage } from './usage/routes.ts'
import { serveVolumes } from './volumes/routes.ts'
import { serveWebhooks } from './webhooks/routes.ts'
import type { WebhookService } from './webhooks/service.ts'

/** The parts that the modules are built from. */
export interface ModuleParts {
  readonly settings: Settings
  readonly pool: Pool
  readonly credentialsFile: CredentialsFile
  readonly effectiveSettings: readonly EffectiveSetting[]
  readonly sandboxes: SandboxParts
  readonly pending: PendingSandboxes
  readonly router: SandboxRouter
  readonly execution: Execution
  readonly shells: Shells
  readonly outbound: Outbound
  readonly applications: ApplicationCatalogue
  readonly mappings: MappingParts
  readonly tunnels: TunnelService
  readonly browsers: BrowserParts
  readonly live: Live
  readonly thumbnails: Thumbnails
  readonly pictures: Pictures
  readonly events: EventTail
  readonly webhooks: WebhookService
  readonly sessions: SessionParts
  readonly publicUrl: () => string
  readonly log: Logger
}

/** What doors use of the modules besides their operations. */
export interface ServedModules {
  readonly imageBuilds: ImageBuilds
}

/** Serves all operations of the API. */
export function serveModules(api: Api, parts: ModuleParts): ServedModules {
  const { pool, log, sandboxes, pending, router, execution, outbound } = parts
  const { applications, mappings, live, publicUrl } = parts
  const { db, prepared } = pool
  const { shapes, keeper } = sandboxes
  serveStats(api, prepared)
  serveLimits(api, db)
  serveShapes(api, shapes)
  serveProjects(api, prepared)
  serveOrganizations(api, db)
  const rotations = new Rotations(db, parts.credentialsFile, log)
  serveApiKeys(api, db, rotations)
  serveOperatorKeys(api, rotations)
  serveTrialTokens(api, db, shapes)
  serveSessions(api, db, parts.sessions)
  serveAudit(api, db)
  serveEvents(api, { pool, tail: parts.events, maxStreams: parts.settings.SANDGLASS_EVENT_STREAMS })
  servePlans(api, db)
  serveNodes(api, db)
  api.serve(getSettings, async () => [...parts.effectiveSettings])
  serveSandboxOperations(api, db)
  const texts = new Texts()
  api.onClose(() => texts.close())
  serveParsing(api, texts)
  serveUsage(api, db)
  const sandboxLive: SandboxLive = {
    connect: async (member, sandbox) => live.connect(sandbox, await live.rights.grant(member, sandbox)),
    recall: id => live.control.recall(id),
  }
  serveSandboxes(api, router, sandboxes, pending, sandboxLive)
  const { builds: imageBuilds, work } = serveMadeImages(api, {
    sandboxes,
    outbound,
    settings: parts.settings,
    log,
  })
  serveImages(api, router, sandboxes, pending, work)
  serveSnapshots(api, router, sandboxes, sandboxLive)
  serveVolumes(api, sandboxes)
  serveLive(api, router, db, live, publicUrl)
  serveThumbnails(router, parts.thumbnails)
  serveActions(router, execution, texts)
  serveTimeline(api, pool, parts.pictures)
  serveProcesses(router)
  serveShells(router, parts.shells)
  serveFiles(api, router, outbound)
  serveMappings(api, router, db, mappings)
  serveTunnels(api, router, parts.tunnels)
  serveBrowsers(router, parts.browsers)
  serveMcpServers(api, sandboxes)
  serveMcpActivity(api, pool)
  serveWebhooks(api, db, parts.webhooks)
  serveApplications(api, router, { db, keeper, catalogue: applications, log })
  return { imageBuilds }
}
