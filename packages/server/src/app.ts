import { readFile } from 'node:fs/promises'
import type { EffectiveSetting } from '@sandglass/protocol'
import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify'
import type { Logger } from 'pino'
import { AuditWriter } from './audit/writer.ts'
import type { Authenticator } from './auth/authenticator.ts'
import type { OpenByCredential } from './auth/open-by-credential.ts'
import type { SecretKeys } from './auth/secret-keys.ts'
import type { Sessions } from './auth/sessions.ts'
import type { CredentialsFile } from './credentials-file.ts'
import type { DatabaseClock } from './db/clock.ts'
import type { Pool } from './db/database.ts'
import type { Listener } from './db/listener.ts'
import { AccessTokens } from './doors/e2b/access-tokens.ts'
import { Addresses } from './doors/e2b/addresses.ts'
import { addE2bDoor } from './doors/e2b/e2b-door.ts'
import type { EventTail } from './events/tail.ts'
import { addAccess } from './http/access.ts'
import { addAnswers } from './http/answers.ts'
import { Api } from './http/api.ts'
import { addArrivals } from './http/arrivals.ts'
import { addJsonBody } from './http/body.ts'
import { addBodyDeadline } from './http/body-deadline.ts'
import { addRefusals } from './http/change.ts'
import { addCors } from './http/cors.ts'
import { addErrors, answerError } from './http/errors.ts'
import { Front, refuseMalformed, type Tls } from './http/front.ts'
import { addHostCheck } from './http/hosts.ts'
import { addIdempotency } from './http/idempotency.ts'
import { LoopTime } from './http/loop-time.ts'
import { OwnPages } from './http/own-pages.ts'
import { addPages } from './http/pages.ts'
import { addReference } from './http/reference.ts'
import { addRequestLog, requestIdOf } from './http/request-log.ts'
import { SessionCallers } from './http/session-callers.ts'
import { SessionCookie } from './http/session-cookie.ts'
import { SocketRoutes } from './http/socket-routes.ts'
import { addUnrouted } from './http/unrouted.ts'
import { withoutSchemas } from './http/without-schemas.ts'
import { Execution } from './modules/actions/execution.ts'
import { Looks } from './modules/actions/looks.ts'
import { Observer } from './modules/actions/observe.ts'
import type { ApplicationCatalogue } from './modules/applications/catalogue.ts'
import { BrowserAccess } from './modules/browsers/browser-access.ts'
import { addCdpEndpoint } from './modules/browsers/cdp-endpoint.ts'
import { DrivenBrowsers } from './modules/browsers/driven-browsers.ts'
import type { Live } from './modules/live/live.ts'
import type { MappingService } from './modules/mappings/mapping-service.ts'
import { addMcpEndpoint } from './modules/mcp/endpoint.ts'
import type { McpService } from './modules/mcp/mcp-service.ts'
import type { KnownSandboxes } from './modules/sandboxes/known-sandboxes.ts'
import type { SandboxParts } from './modules/sandboxes/parts.ts'
import type { PendingSandboxes } from './modules/sandboxes/pending-sandboxes.ts'
import { SandboxRouter } from './modules/sandboxes/sandbox-router.ts'
import type { SandboxUse } from './modules/sandboxes/use.ts'
import { serveModules } from './modules/serve-modules.ts'
import { Attempts } from './modules/sessions/openid/attempts.ts'
import { Issuer } from './modules/sessions/openid/issuer.ts'
import { addOpenIdSignIn } from './modules/sessions/openid/routes.ts'
import type { SessionParts } from './modules/sessions/routes.ts'
import { openShells } from './modules/shells/open-shells.ts'
import type { Thumbnails } from './modules/thumbnails/thumbnails.ts'
import type { Timeline } from './modules/timeline/timeline.ts'
import type { TunnelService } from './modules/tunnels/tunnel-service.ts'
import type { WebhookService } from './modules/webhooks/service.ts'
import { addHealth } from './ops/health.ts'
import type { Metrics } from './ops/metrics.ts'
import { addMetricsRoute } from './ops/metrics-route.ts'
import type { Degraded, ReadinessChecks } from './ops/readiness.ts'
import type { Tracing } from './ops/tracing.ts'
import type { Outbound } from './outbound/outbound.ts'
import type { Pictures } from './pictures/pictures.ts'
import { addScreenshots } from './pictures/routes.ts'
import { ForwardedViewers } from './placement/peers/forwarded-viewers.ts'
import type { Placement } from './placement/placement.ts'
import type { Settings } from './settings.ts'

/** The parts that the HTTP side of the service is built from. */
export interface AppParts {
  readonly settings: Settings
  readonly version: string
  readonly log: Logger
  readonly pool: Pool
  readonly credentialsFile: CredentialsFile
  readonly effectiveSettings: readonly EffectiveSetting[]
  readonly keys: SecretKeys
  readonly clock: DatabaseClock
  readonly listener: Listener
  readonly authenticator: Authenticator
  readonly sessions: Sessions
  readonly open: OpenByCredential
  readonly sandboxes: SandboxParts
  readonly placement: Placement
  readonly known: KnownSandboxes
  readonly pending: PendingSandboxes
  readonly use: SandboxUse
  readonly outbound: Outbound
  readonly applications: ApplicationCatalogue
  readonly mappings: MappingService
  readonly tunnels: TunnelService
  readonly live: Live
  readonly thumbnails: Thumbnails
  readonly mcp: McpService
  readonly events: EventTail
  readonly webhooks: WebhookService
  readonly metrics: Metrics
  readonly pictures: Pictures
  readonly timeline: Timeline
  readonly tracing?: Tracing | undefined
  readonly readiness: ReadinessChecks
  readonly degraded: Degraded
  readonly publicUrl: () => string
  readonly isDraining: () => boolean
}

/** Builds the HTTP side of the service, ready to listen. Hooks run in the order in which they are added here. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { settings, pool, live, publicUrl } = parts
  const { peers } = parts.placement
  const { db } = pool
  const sockets = new SocketRoutes()
  const addresses = settings.SANDGLASS_DOORS.includes('e2b') ? new Addresses(parts.mappings.names) : undefined
  const front = new Front({
    gateway: parts.mappings.gateway,
    viewers: [live.webSockets, new ForwardedViewers(peers, live.welcome)],
    sockets,
    tls: await readTls(settings),
    doors: addresses,
  })
  const app = Fastify(optionsOf(parts, front))
  app.addHook('preClose', async () => {
    front.closeUnusedConnections()
    peers.endStreams()
  })
  await parts.tracing?.instrument(app)
  addArrivals(app, peers, parts.log)
  addAnswers(app)
  addErrors(app)
  addUnrouted(app)
  const loopTime = new LoopTime(settings.SANDGLASS_ORGANIZATION_SHARE / 100)
  addJsonBody(app, { loopTime })
  addBodyDeadline(app)
  addRequestLog(app, parts.log)
  closeWhileDraining(app, parts.isDraining)
  parts.metrics.observe(app)
  addHostCheck(app, settings, request => addresses?.isDaemonHost(request) === true)
  await addCors(app, settings.SANDGLASS_CORS_ORIGINS)
  const cookie = new SessionCookie(publicUrl)
  const pages = new OwnPages(publicUrl)
  const callers = new SessionCallers({ sessions: parts.sessions, cookie, pages, peers })
  await addAccess(app, parts.authenticator, callers, parts.open, settings, loopTime)
  const audit = new AuditWriter(pool.prepared)
  addRefusals(app, audit)
  addIdempotency(app, parts.keys)
  const api = new Api(app, { db, audit, loopTime, listener: parts.listener, sockets })
  const { keeper, work, waking } = parts.sandboxes
  const router = new SandboxRouter(api, { ...parts, keeper, work, waking })
  const looks = new Looks(new Observer(parts.pictures, parts.outbound))
  const execution = new Execution(parts.live.control, looks, parts.timeline)
  const sessions: SessionParts = {
    authenticator: parts.authenticator,
    pages,
    signIns: { cookie, hours: settings.SANDGLASS_SESSION_HOURS },
    idleSeconds: parts.sessions.idleSeconds,
    issuerName: settings.SANDGLASS_OIDC_CLIENT_ID && settings.SANDGLASS_OIDC_NAME,
    publicUrl,
  }
  const shells = openShells(api, router.work, db, parts.log)
  const browsers = { access: new BrowserAccess(parts), browsers: new DrivenBrowsers() }
  const { imageBuilds } = serveModules(api, { ...parts, router, execution, shells, sessions, browsers })
  const issuer = Issuer.from(settings)
  if (issuer)
    addOpenIdSignIn(app, {
      db,
      issuer,
      attempts: new Attempts(parts.keys, parts.clock),
      signIns: sessions.signIns,
      publicUrl,
    })
  if (addresses) {
    const { mappings, sandboxes, authenticator, open, log } = parts
    const tokens = new AccessTokens(parts.keys)
    addE2bDoor(
      app,
      {
        api,
        router,
        sandboxes,
        tokens,
        mappings,
        shells,
        looks,
        imageBuilds,
        authenticator,
        open,
        pool,
        log,
      },
      addresses,
    )
  }
  addMcpEndpoint(app, { ...parts, audit, router, execution, closing: api.closing })
  addCdpEndpoint(app, { router, sockets, tunnels: parts.tunnels, ...browsers })
  addScreenshots(app, parts.pictures, parts.placement)
  addHealth(app, parts.readiness, parts.degraded)
  addMetricsRoute(app, parts.metrics, settings)
  await addPages(app, settings, parts.log)
  addReference(app, api.operations, parts.version, publicUrl)
  return app
}

function optionsOf({ settings }: AppParts, front: Front): FastifyServerOptions {
  const { SANDGLASS_TRUSTED_PROXIES: proxies } = settings
  return {
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: proxies.length > 0 ? [...proxies] : false,
    genReqId: requestIdOf,
    // A request on an open connection is still served while the service drains. The connection is closed after it.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    serverFactory: handler => front.serve(handler),
    routerOptions: { maxParamLength: 1024 },
    schemaController: withoutSchemas,
    // On a host that is very busy, a start takes longer than the ten seconds after which Fastify would give up.
    pluginTimeout: 0,
    frameworkErrors: answerError,
    clientErrorHandler: refuseMalformed,
  }
}

async function readTls({
  SANDGLASS_TLS_CERT: cert,
  SANDGLASS_TLS_KEY: key,
}: Settings): Promise<Tls | undefined> {
  if (cert === undefined || key === undefined) return undefined
  return {
    cert: await readPem('SANDGLASS_TLS_CERT', cert),
    key: await readPem('SANDGLASS_TLS_KEY', key),
  }
}

/** Closes each connection after its pending call once a drain has begun. */
function closeWhileDraining(app: FastifyInstance, isDraining: () => boolean): void {
  app.answers.beforeHeaders(reply => {
    if (isDraining()) reply.header('connection', 'close')
  })
}

async function readPem(setting: string, path: string): Promise<Buffer> {
  return readFile(path).catch(cause => {
    throw new Error(`${setting} is ${path}, which cannot be read: ${cause.message}`, { cause })
  })
}
