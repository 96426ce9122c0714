import { join } from 'node:path'
import type { Workers } from '@sandglass/workers/contract'
import { RawFolder } from '@sandglass/workers/raw'
import type { Logger } from 'pino'
import { buildApp } from './app.ts'
import { Authenticator } from './auth/authenticator.ts'
import { EndUserTokens } from './auth/end-user-tokens.ts'
import { forgetEndedCredentials } from './auth/ended-credentials.ts'
import { EnvironmentSeal } from './auth/environment-seal.ts'
import { BearerTokens } from './auth/oidc.ts'
import { OpenByCredential } from './auth/open-by-credential.ts'
import { openSecretKeys } from './auth/open-secret-keys.ts'
import { forgetEndedSecrets } from './auth/replaced-secrets.ts'
import { Sessions } from './auth/sessions.ts'
import { BackupSchedule } from './backups/schedule.ts'
import { ensureCredentials } from './credentials.ts'
import { type Credentials, CredentialsFile } from './credentials-file.ts'
import { DataDirectory } from './data-directory.ts'
import { DatabaseClock } from './db/clock.ts'
import { openPool } from './db/database.ts'
import { Listener } from './db/listener.ts'
import { oneRoleNotice, ownsAuditLog } from './db/service-role.ts'
import { transact } from './db/transact.ts'
import { effectiveSettings } from './effective-settings.ts'
import { alignPositions } from './events/align.ts'
import { removeOldEvents } from './events/retention.ts'
import { EventTail } from './events/tail.ts'
import { Housekeeping } from './housekeeping.ts'
import { forgetOldKeys } from './http/idempotency.ts'
import { listen, localUrl, openToNetworkNotice, portOf } from './listening.ts'
import { type Engines, noEngines } from './machines/engines.ts'
import { selectInstallation } from './machines/ledger.ts'
import { unclaimedNotice } from './machines/unclaimed-notice.ts'
import { ApplicationCatalogue } from './modules/applications/catalogue.ts'
import { Live } from './modules/live/live.ts'
import { MappingService } from './modules/mappings/mapping-service.ts'
import { McpService } from './modules/mcp/mcp-service.ts'
import { KnownSandboxes } from './modules/sandboxes/known-sandboxes.ts'
import { PendingSandboxes } from './modules/sandboxes/pending-sandboxes.ts'
import { SandboxUse } from './modules/sandboxes/use.ts'
import { createCode } from './modules/sessions/codes.ts'
import { forgetEndedSessions } from './modules/sessions/store.ts'
import { Catalogue } from './modules/shapes/catalogue.ts'
import { Thumbnails } from './modules/thumbnails/thumbnails.ts'
import { ActionLog } from './modules/timeline/action-log.ts'
import { ActionMetrics } from './modules/timeline/action-metrics.ts'
import { removeOldActions } from './modules/timeline/store.ts'
import { Timeline } from './modules/timeline/timeline.ts'
import { TunnelService } from './modules/tunnels/tunnel-service.ts'
import { WebhookDispatcher } from './modules/webhooks/delivery/dispatcher.ts'
import { WebhookService } from './modules/webhooks/service.ts'
import { NodeMachines } from './node-machines.ts'
import { ClockWatch } from './ops/clock-watch.ts'
import { reportDatabase } from './ops/database-metrics.ts'
import { DiskSpace } from './ops/disk-space.ts'
import { HostMemory } from './ops/host-memory.ts'
import { reportProcessors } from './ops/host-metrics.ts'
import { reportMembers } from './ops/member-metrics.ts'
import { Metrics } from './ops/metrics.ts'
import { listenForMetrics } from './ops/metrics-route.ts'
import { ProtectiveLimits } from './ops/protective-limits.ts'
import { databaseCheck } from './ops/readiness.ts'
import { reportStorage } from './ops/storage-metrics.ts'
import { openTracing } from './ops/tracing.ts'
import { Outbound } from './outbound/outbound.ts'
import { EndedSandboxes } from './pictures/ended-sandboxes.ts'
import { openStore, pictureLimits } from './pictures/open-store.ts'
import { PictureMetrics } from './pictures/picture-metrics.ts'
import { Pictures } from './pictures/pictures.ts'
import { openPlacement } from './placement/open-placement.ts'
import { forgetEnded } from './records/ended-sandboxes.ts'
import { resealEnvironments } from './records/reseal.ts'
import { databaseAddress, prepareDatabase, startEmbedded } from './service-database.ts'
import type { Settings } from './settings.ts'
import { version } from './version.ts'

/** A running service. */
export interface Service {
  readonly url: string
  readonly credentials: Credentials
  /** True if this start created the credentials. */
  readonly hasNewCredentials: boolean
  /** The link with which the owner signs in once, if this start created the credentials. */
  readonly signInUrl: string | undefined
  readonly pictures: Pictures
  /** Writes what is otherwise written only periodically. */
  flush(): Promise<void>
  /** Lets pending calls finish, then releases everything. */
  close(): Promise<void>
}

/** The options for a start besides the settings. */
export interface StartOptions {
  /** For variables that are not settings, such as OpenTelemetry's. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Opens the engines that make machines. If it is omitted, there are none. */
  readonly openEngines?: (shapes: Catalogue) => Promise<Engines>
  /** Opens the processes that talk to machines. If it is omitted, this process does it. */
  readonly openWorkers?:
    | ((log: Logger, engines: Engines, frames: RawFolder) => Workers | Promise<Workers>)
    | undefined
  /** The descriptor that holds the lock of the data directory, if the process that started this one has taken it. */
  readonly lock?: number
  /** The file in which the kernel says how much memory is available, if it is not /proc/meminfo. */
  readonly meminfo?: string | undefined
  /** Prints one line for the person who started the service. */
  readonly tell?: (line: string) => void
}

/** Starts everything in order. If a step fails, what was started is closed in reverse order. */
export async function startService(
  settings: Settings,
  log: Logger,
  {
    env = {},
    openEngines = async () => noEngines,
    openWorkers = sameProcess,
    lock,
    meminfo,
    tell = () => {},
  }: StartOptions = {},
): Promise<Service> {
  await using undo = new AsyncDisposableStack()
  const shapes = await Catalogue.load(settings.SANDGLASS_SHAPES)
  const applications = await ApplicationCatalogue.load(settings.SANDGLASS_APPLICATIONS)
  const path = settings.SANDGLASS_DATA
  const data = lock === undefined ? await DataDirectory.lock(path) : DataDirectory.locked(path, lock)
  undo.defer(() => data.release())
  const nodeId = await data.nodeId()
  const credentialsFile = new CredentialsFile(data)

  const embedded = settings.DATABASE_URL ? undefined : await startEmbedded(data.path, log)
  if (embedded) undo.defer(() => embedded.stop())
  const address = databaseAddress(settings)
  const pool = openPool(address, error => log.warn({ error }, 'a database connection was lost'))
  undo.defer(() => pool.close())
  const applied = await prepareDatabase(settings)
  if (await ownsAuditLog(pool.db)) tell(oneRoleNotice)
  const identity = { installation: await selectInstallation(pool.db), nodeId }
  log.info({ database: address.shown, ...identity, applied }, 'the database is ready')
  const alignEvents = async () => {
    if (await alignPositions(pool.db))
      log.warn('the database comes from another PostgreSQL; its events go on after those that it contains')
  }
  await alignEvents()
  const events = new EventTail(pool.prepared, log)
  undo.defer(() => events.close())
  const clock = await DatabaseClock.read(pool.prepared)

  const keys = await openSecretKeys(pool.db, data, settings)
  const environment = new EnvironmentSeal(keys)
  const unreadable = await resealEnvironments(pool.db, environment)
  if (unreadable.length > 0)
    log.warn(
      { ids: unreadable },
      'secrets of machines, images or webhooks were encrypted with a key that is gone',
    )

  const { placement, ...nodes } = openPlacement({
    settings,
    nodeId,
    pool,
    keys,
    clock,
    listener: { isFresh: now => listener.isFresh(now) },
  })
  undo.defer(() => placement.peers.close())
  const engines = await openEngines(shapes)
  const frames = new RawFolder(join(data.path, 'screenshots', 'frames'), 'front')
  const workers = await openWorkers(log, engines, frames)
  undo.defer(() => workers.close())
  const use = new SandboxUse(pool.db, log)
  undo.defer(() => use.close())
  const metrics = new Metrics()
  const { registry } = metrics
  const reserveMiB = settings.SANDGLASS_DISK_RESERVE
  const folders = [data.path, join(data.path, 'local'), join(data.path, 'qemu')]
  const limits = new ProtectiveLimits(
    new DiskSpace({ folders, reserveMiB, registry, log }),
    new HostMemory({ reserveMiB: settings.SANDGLASS_MEMORY_RESERVE, meminfo, registry, log }),
  )
  await limits.check()
  const machines = new NodeMachines(
    settings,
    identity,
    placement,
    pool,
    clock,
    environment,
    shapes,
    engines,
    workers,
    use,
    limits,
    registry,
    { caughtUp: () => listener.caughtUp() },
    log,
  )
  undo.defer(() => machines.close())
  const { keeper, work, waking } = machines.sandboxes
  metrics.watchUnclaimed(() => machines.unclaimed.all.length)
  metrics.watchProblems(() => keeper.problems)
  reportMembers(engines, registry)
  reportStorage({ db: pool.db, nodeId, engines, registry })
  reportDatabase(pool.db, events, registry)
  reportProcessors(registry)
  const tokens = new EndUserTokens(keys, clock)
  const live = new Live({
    settings,
    db: pool.db,
    clock,
    keeper,
    placement,
    tokens,
    use,
    waking,
    metrics,
    log,
    tell,
  })
  waking.onRestart = id => live.control.recall(id)
  const open = new OpenByCredential(pool.prepared, { isFresh: now => listener.isFresh(now) }, clock, log)
  undo.defer(() => open.close())
  metrics.watchOpenByCredential(() => open.count)
  const tunnels = new TunnelService({ settings, db: pool.db, use, metrics, log })
  const mcp = new McpService(pool, machines.sandboxes, log)
  const outbound = new Outbound(settings.SANDGLASS_OUTBOUND_PRIVATE)
  undo.defer(() => outbound.close())
  const webhooks = new WebhookDispatcher({
    pool,
    clock,
    events,
    seal: environment,
    outbound,
    nodeId,
    timeoutSeconds: settings.SANDGLASS_WEBHOOK_TIMEOUT,
    keptDays: settings.SANDGLASS_WEBHOOK_DELIVERY_DAYS,
    maxDeliveries: settings.SANDGLASS_WEBHOOK_DELIVERIES,
    registry,
    log,
  })
  undo.defer(() => webhooks.close())
  const credentialsChanged = () => {
    open.changed()
    mappings.credentialsChanged()
    void live.credentialsChanged()
  }
  let endedSandboxes: EndedSandboxes | undefined
  let aligned = Promise.resolve()
  undo.defer(() => aligned)
  const listener = new Listener(
    address,
    {
      credentials: announced => {
        authenticator.forget(announced)
        sessions.forgetAll()
        credentialsChanged()
      },
      mapping_moves: id => mappings.moved(id),
      mapping_ends: id => mappings.ended(id),
      sandbox_changes: id => {
        known.forget(id)
        pending.changed(id)
        live.sandboxChanged(id)
        tunnels.sandboxChanged(id)
        endedSandboxes?.changed(id)
      },
      events: () => events.changed(),
      ...nodes.channels,
      ...machines.channels,
      ...mcp.channels,
      ...webhooks.channels,
    },
    () => {
      authenticator.forgetAll()
      sessions.forgetAll()
      mappings.forgetAll()
      known.forgetAll()
      nodes.forgetAll()
      tunnels.checkAll()
      void live.credentialsChanged()
    },
    {
      clock,
      onConnect: () => {
        credentialsChanged()
        pending.allChanged()
        events.changed()
        aligned = alignEvents().catch(error =>
          log.warn({ error }, 'the order of new events could not be checked'),
        )
      },
    },
  )
  const authenticator = new Authenticator(pool.db, listener, clock, BearerTokens.from(settings, clock))
  const sessions = new Sessions({
    db: pool.db,
    listener,
    clock,
    keys: authenticator,
    idleSeconds: settings.SANDGLASS_SESSION_IDLE_MINUTES * 60,
  })
  const known = new KnownSandboxes(pool.prepared, listener)
  const pending = new PendingSandboxes(pool.prepared)
  const mappings = new MappingService({
    settings,
    pool,
    keys,
    keeper,
    placement,
    listener,
    open,
    clock,
    metrics,
    use,
    work,
    waking,
    log,
    localDomain: () => `localhost:${portOf(app)}`,
  })
  const recordUse = async () => {
    await authenticator.flush()
    await sessions.flush(open.sessions)
  }
  undo.defer(recordUse)
  await listener.connect()
  undo.defer(() => listener.close())

  let url = settings.SANDGLASS_PUBLIC_URL ?? ''
  const pictures = new Pictures({
    store: await openStore(settings),
    nodeId,
    lifeMs: Math.ceil(settings.SANDGLASS_SCREENSHOT_HOURS * 3_600_000),
    limits: pictureLimits(settings),
    publicUrl: () => url,
    metrics: new PictureMetrics(registry),
    converter: workers,
    waitingPath: join(data.path, 'screenshots', 'waiting.jsonl'),
    log,
    now: clock.now,
  })
  undo.defer(() => pictures.close())
  if (engines.names.length > 0) workers.warm()
  const actionLog = new ActionLog({ pool, registry, log })
  undo.defer(() => actionLog.close())
  const ended = new EndedSandboxes(pool.db, pictures, log)
  endedSandboxes = ended

  const thumbnails = new Thumbnails(keeper, work)

  const housekeeping = new Housekeeping(log, clock)
  const clockWatch = new ClockWatch(clock, log)
  housekeeping.every(5, 'looking at the free disk space and memory', () => limits.check())
  housekeeping.every(5, 'looking at the clock of the database', () => clockWatch.check())
  housekeeping.every(10, 'recording the use of keys', recordUse)
  housekeeping.forgetEvery(60, 'forgetting ended sessions', () =>
    forgetEndedSessions(pool.db, sessions.idleSeconds),
  )
  housekeeping.forgetEvery(600, 'deleting expired screenshots', () => pictures.sweep())
  housekeeping.every(60, 'deleting screenshots of ended sandboxes', () => ended.sweep())
  housekeeping.every(60, 'forgetting thumbnails of ended sandboxes', () => thumbnails.sweep(pool.db))
  housekeeping.forgetEvery(3600, 'forgetting old idempotency keys', () => forgetOldKeys(pool.db))
  housekeeping.forgetEvery(3600, 'forgetting replaced secrets', () => forgetEndedSecrets(pool.db))
  housekeeping.forgetEvery(3600, 'forgetting ended keys and tokens', () => forgetEndedCredentials(pool.db))
  housekeeping.forgetEvery(600, 'removing old events', () =>
    removeOldEvents(pool.db, settings.SANDGLASS_EVENT_DAYS, settings.SANDGLASS_EVENTS),
  )
  housekeeping.forgetEvery(600, 'removing old actions', () =>
    removeOldActions(pool.db, settings.SANDGLASS_EVENT_DAYS, settings.SANDGLASS_ACTIONS),
  )
  housekeeping.every(60, 'shortening the timelines of sandboxes', () => actionLog.trim())
  housekeeping.forgetEvery(3600, 'forgetting ended sandboxes', () =>
    forgetEnded(pool.db, settings.SANDGLASS_ENDED_DAYS),
  )
  const backups = new BackupSchedule({
    settings,
    db: pool.db,
    engines,
    nodeId,
    now: clock.now,
    registry: metrics.registry,
    log,
  })
  housekeeping.every(10, 'looking whether a backup is due', signal => backups.run(signal))
  undo.defer(() => housekeeping.stop())

  const tracing = await openTracing(env, version)
  if (tracing) undo.defer(() => tracing.shutdown())
  const { sandboxes } = machines
  let draining = false
  const app = await buildApp({
    settings,
    version,
    log,
    pool,
    credentialsFile,
    effectiveSettings: effectiveSettings(env),
    keys,
    clock,
    listener,
    authenticator,
    sessions,
    open,
    metrics,
    tracing,
    sandboxes,
    placement,
    known,
    pending,
    use,
    outbound,
    pictures,
    timeline: new Timeline({
      log: actionLog,
      clock,
      keepsArguments: settings.SANDGLASS_ACTION_ARGUMENTS === 'keep',
      metrics: new ActionMetrics(registry),
    }),
    applications,
    mappings,
    tunnels,
    live,
    thumbnails,
    mcp,
    events,
    webhooks: new WebhookService(environment, outbound, clock),
    readiness: {
      stopping: () => (draining ? 'The service is stopping.' : undefined),
      machines: () =>
        machines.isStarted ? undefined : 'The service is still adopting its machines after a start.',
      database: databaseCheck(pool.db),
      disk: () => limits.diskProblem(),
    },
    degraded: async () => [
      ...(await machines.problems()),
      ...(await limits.degraded()),
      ...(await clockWatch.degraded()),
    ],
    publicUrl: () => url,
    isDraining: () => draining,
  })
  undo.defer(() => app.close())
  undo.defer(() => mappings.gateway.close())
  undo.defer(() => live.close())
  mappings.start(housekeeping)
  tunnels.start(housekeeping)
  await app.ready()
  const metricsServer = await listenForMetrics(metrics, settings)
  if (metricsServer) undo.defer(() => void metricsServer.close())

  await listen(app, settings)
  const notice = openToNetworkNotice(settings)
  if (notice !== undefined) tell(notice)
  const local = localUrl(app, settings)
  url ||= local
  const node = {
    id: nodeId,
    version,
    url: settings.SANDGLASS_NODE_URL ?? local,
    leaseSeconds: settings.SANDGLASS_NODE_LEASE,
  }
  const { credentials, isNew } = await ensureCredentials(
    pool.db,
    credentialsFile,
    identity.installation,
    node,
    url,
  )
  const owner = isNew ? await authenticator.identify(credentials.apiKey) : undefined
  const signIn = owner && (await transact(pool.db, tx => createCode(tx, owner, url)))
  await live.start(url, housekeeping)
  await machines.start(housekeeping)
  if (machines.unclaimed.all.length > 0)
    for (const line of unclaimedNotice(machines.unclaimed.all, {
      ...identity,
      dataDirectory: data.path,
      database: address.shown,
    }))
      tell(line)
  mcp.start(housekeeping)
  webhooks.start(housekeeping)
  log.info({ url, node: nodeId }, 'serving')

  const everything = undo.move()
  return {
    url,
    credentials,
    hasNewCredentials: isNew,
    signInUrl: signIn?.url,
    pictures,
    flush: recordUse,
    close: async () => {
      draining = true
      await everything.disposeAsync()
    },
  }
}

/** A front with workers never loads what talks to machines. */
async function sameProcess(log: Logger, _engines: Engines, frames: RawFolder): Promise<Workers> {
  const { SameProcess } = await import('@sandglass/workers')
  return new SameProcess(error => log.warn({ error }, 'an encoder thread crashed'), frames)
}
