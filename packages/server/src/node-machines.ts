import { setTimeout as delay } from 'node:timers/promises'
import type { Engine } from '@sandglass/machines/contract'
import { KeyedMutex } from '@sandglass/supervision'
import type { Workers } from '@sandglass/workers/contract'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { AnyStoredSpec, EnvironmentSeal } from './auth/environment-seal.ts'
import type { DatabaseClock } from './db/clock.ts'
import type { Database, Pool } from './db/database.ts'
import type { Channels, Listener } from './db/listener.ts'
import type { Housekeeping } from './housekeeping.ts'
import { Adoption } from './machines/adoption.ts'
import { clustersOf, whyDegraded } from './machines/clusters.ts'
import type { Engines } from './machines/engines.ts'
import { Expirer } from './machines/expirer.ts'
import { ExpiryNotices } from './machines/expiry-notices.ts'
import { MachineKeeper } from './machines/keeper.ts'
import type { Identity } from './machines/ledger.ts'
import { LostMachines } from './machines/lost-machines.ts'
import { handedOutIn, leftAloneIn } from './machines/machine-marks.ts'
import { MachineMetrics } from './machines/machine-metrics.ts'
import { NodeVolumes } from './machines/node-volumes.ts'
import { Reconciler } from './machines/reconcile.ts'
import { SavedDisks } from './machines/saved-disks.ts'
import { newMachineId } from './machines/spec.ts'
import { Strays } from './machines/strays.ts'
import { UnclaimedMachines } from './machines/unclaimed.ts'
import { WarmPool } from './machines/warm-pool.ts'
import { wantedOfImages } from './modules/images/warm-images.ts'
import { SandboxCreation } from './modules/sandboxes/create.ts'
import { ProcessorUse } from './modules/sandboxes/lifecycle/processor-use.ts'
import { LifecycleRules } from './modules/sandboxes/lifecycle/rules.ts'
import { SandboxWork } from './modules/sandboxes/lifecycle/sandbox-work.ts'
import { Waking } from './modules/sandboxes/lifecycle/waking.ts'
import type { SandboxParts } from './modules/sandboxes/parts.ts'
import { MachinePower } from './modules/sandboxes/power.ts'
import type { SandboxUse } from './modules/sandboxes/use.ts'
import type { Catalogue } from './modules/shapes/catalogue.ts'
import { reportEngines } from './ops/engine-metrics.ts'
import type { ProtectiveLimits } from './ops/protective-limits.ts'
import { reportSandboxes } from './ops/sandbox-metrics.ts'
import { Admission } from './placement/admission.ts'
import { NodeCapacity } from './placement/capacity.ts'
import { NodeChoice } from './placement/choose.ts'
import { NodeLease } from './placement/lease.ts'
import { declareLostNodes } from './placement/loss.ts'
import type { Watcher } from './placement/loss-store.ts'
import { selectEnginesOfNodes } from './placement/nodes-view.ts'
import { PlacedMachines } from './placement/placed-machines.ts'
import type { Placement } from './placement/placement.ts'
import { ReturnedSandboxes } from './placement/return.ts'
import { inheritLost } from './placement/takeover.ts'
import { selectTenants } from './records/sandboxes.ts'
import type { Settings } from './settings.ts'

const sweepEverySeconds = 30
/** Until then, a new machine shares the processor with those that have no sandbox. */
const assignEverySeconds = 5

/** Engines report lost members at once. This repeats what failed. */
const lookEverySeconds = 3

/** How long a start waits for engines to report their machines. If one takes longer, the service starts without it. */
const adoptionWaitMs = 10_000

/** Composes everything about machines in this process. */
export class NodeMachines {
  readonly sandboxes: SandboxParts
  readonly unclaimed: UnclaimedMachines
  readonly #engines: Engines
  readonly #shapes: Catalogue
  readonly #placement: Placement
  readonly #disks: SavedDisks
  readonly #volumes: NodeVolumes
  readonly #keeper: MachineKeeper
  readonly #expirer: Expirer
  readonly #notices: ExpiryNotices
  readonly #rules: LifecycleRules
  readonly #pool: WarmPool
  readonly #reconciler: Reconciler
  readonly #lost: LostMachines
  readonly #adoption: Adoption
  readonly #lease: NodeLease
  readonly #choice: NodeChoice
  readonly #placed: PlacedMachines
  readonly #returned: ReturnedSandboxes
  readonly #watcher: Watcher
  readonly #db: Database
  readonly #log: Logger
  #started = false

  constructor(
    settings: Settings,
    identity: Identity,
    placement: Placement,
    pool: Pool,
    clock: DatabaseClock,
    environment: EnvironmentSeal,
    shapes: Catalogue,
    engines: Engines,
    workers: Workers,
    use: SandboxUse,
    limits: Pick<ProtectiveLimits, 'shortage'>,
    registry: Registry,
    listener: Pick<Listener, 'caughtUp'>,
    log: Logger,
  ) {
    const { db } = pool
    this.#db = db
    this.#log = log
    this.#engines = engines
    this.#shapes = shapes
    shapes.showEngines(engines.names)
    this.#placement = placement
    const ready = this.#adoptedEngines()
    const handedOut = handedOutIn(settings.SANDGLASS_DATA)
    const keeper = new MachineKeeper(identity, db, ready, workers, handedOut, environment, log)
    this.#keeper = keeper
    const metrics = new MachineMetrics(registry)
    keeper.metrics = metrics
    const shortage = () => limits.shortage()
    const keepSeconds = Math.ceil(settings.SANDGLASS_PAUSED_HOURS * 3600)
    this.#expirer = new Expirer(db, clock, keepSeconds, log)
    this.#notices = new ExpiryNotices(db, clock, settings.SANDGLASS_EXPIRING_SECONDS, log)
    const { nodeId } = identity
    this.#watcher = { nodeId, leaseSeconds: settings.SANDGLASS_NODE_LEASE }
    const capacity = new NodeCapacity(shapes, ready, settings.SANDGLASS_DATA, log)
    this.#lease = new NodeLease({ db, ...this.#watcher, capacity, log })
    this.#pool = new WarmPool({
      db,
      keeper,
      shapes,
      ofImages: () => wantedOfImages(db, nodeId, shapes, environment),
      isDraining: () => this.#lease.isDraining,
      shortage,
      log,
    })
    reportEngines(ready, capacity, registry)
    reportSandboxes({ db, nodeId, shapes, pool: this.#pool, registry })
    this.#lease.onDrain = () => this.#pool.refill()
    this.#lease.onReturn = () => this.#recoverAfterLoss()
    this.#placed = new PlacedMachines(db, keeper, log)
    this.#returned = new ReturnedSandboxes(db, keeper, log)
    const admission = new Admission(keeper, this.#lease, shortage)
    this.#choice = new NodeChoice({ pool, nodeId, admission })
    keeper.onPooledMachineLost = row => this.#pool.replace(row)
    this.unclaimed = new UnclaimedMachines(log)
    const leftAlone = leftAloneIn(settings.SANDGLASS_DATA)
    const strays = new Strays(db, keeper, leftAlone, this.unclaimed, log)
    const mutex = new KeyedMutex()
    this.#disks = new SavedDisks({ db, identity, keeper, mutex, leftAlone, log })
    this.#volumes = new NodeVolumes({ db, identity, keeper, log })
    this.#reconciler = new Reconciler(db, keeper, strays, log)
    this.#adoption = new Adoption(engines, engine => this.#adopt(engine), log)
    this.#lost = new LostMachines(db, keeper, this.#reconciler, () => this.#adoption.adopted, log)
    this.#adoption.onAdopted = () => this.#pool.refill()
    this.#adoption.onFailure = (engine, reason) =>
      void this.#reconciler
        .showUnreachable(engine, reason)
        .catch(error => log.warn({ engine, error }, 'it was not noted that machines cannot be reached'))
    const creation = new SandboxCreation({
      db,
      keeper,
      shapes,
      admission,
      choice: this.#choice,
      privateNetworks: settings.SANDGLASS_PRIVATE_EGRESS,
      metrics,
    })
    const power = new MachinePower(db, keeper, mutex, keepSeconds)
    const work = new SandboxWork(use)
    this.#rules = new LifecycleRules({
      db,
      nodeId,
      clock,
      listener,
      power,
      work,
      processor: new ProcessorUse(db, keeper, log),
      onEnd: () => keeper.destroyDoomedSoon(),
      log,
    })
    this.sandboxes = {
      db,
      clock,
      shapes,
      placement,
      keeper,
      creation,
      power,
      work,
      waking: new Waking({ db, keeper, power, work }),
      keepSeconds,
      disks: this.#disks,
      volumes: this.#volumes,
      metrics,
      onChange: () => this.#pool.refill(),
    }
  }

  /** Handlers for what other processes announce about machines and sandboxes. */
  get channels(): Channels {
    return {
      sandbox_ends: end => {
        this.#expirer.arm(Number(end))
        this.#notices.arm(Number(end))
        this.#rules.arm(Number(end))
      },
      idle_checks: announcement => {
        const [nodeId = '', atMs] = announcement.split(' ')
        if (this.#placement.isHere(nodeId)) this.#rules.arm(Number(atMs))
      },
      doomed_machines: nodeId => {
        if (this.#started && this.#placement.isHere(nodeId)) this.#keeper.destroyDoomedSoon()
      },
      doomed_disks: nodeId => {
        if (this.#started && this.#placement.isHere(nodeId)) this.#disks.removeDoomedSoon()
      },
      doomed_volumes: nodeId => {
        if (this.#started && this.#placement.isHere(nodeId)) this.#volumes.removeDoomedSoon()
      },
      warm_images: nodeId => {
        if (this.#started && this.#placement.isHere(nodeId)) this.#pool.retry()
      },
      placed_machines: announcement => {
        if (this.#started && this.#placed.announced(announcement)) this.#pool.refill()
      },
      node_changes: announcement => this.#lease.changed(announcement),
    }
  }

  /** Whether the machines from before the start have been adopted, except those of engines that are down. */
  get isStarted(): boolean {
    return this.#started
  }

  /**
   * The engines of this process that cannot create machines now, or that lack members of their cluster, each with the reason. The
   * service continues without them.
   */
  async problems(): Promise<{ readonly engine: string; readonly reason: string }[]> {
    const { engines } = this.#keeper
    const all = await Promise.all(
      engines.names.map(async engine => ({ engine, health: await engines.health(engine) })),
    )
    const down = all.flatMap(({ engine, health }) =>
      health.ready ? [] : [{ engine, reason: health.reason }],
    )
    const degraded = (await clustersOf(engines)).flatMap(cluster => {
      const reason = whyDegraded(cluster)
      return reason === undefined ? [] : [{ engine: cluster.engine, reason }]
    })
    return [...down, ...degraded]
  }

  /** Adopts existing machines, then starts to create new ones. The node must already have its row. */
  async start(housekeeping: Housekeeping): Promise<void> {
    // Heartbeats start first, because adopting many machines may take longer than the lease.
    const { heartbeatSeconds } = this.#lease
    housekeeping.every(heartbeatSeconds, 'renewing the lease of this node', () => this.#heartbeat())
    // Adopting the machines of a lost node must not cost this node its lease either.
    housekeeping.every(heartbeatSeconds, 'looking for lost nodes', () => this.#replaceLostNodes())
    await this.#reconciler.begin()
    await this.#disks.begin()
    // Wait only for a limited time, because a slow engine must not delay the others.
    await Promise.race([this.#adoptAll(), delay(adoptionWaitMs, undefined, { ref: false })])
    this.#started = true
    // A failure is harmless, because the next heartbeat publishes the capacity a few seconds later.
    await this.#heartbeat().catch(error => this.#log.warn({ error }, 'the first heartbeat failed'))
    await this.#expirer.run()
    await this.#notices.run()
    await this.#rules.start()
    this.#pool.refill()
    for (const name of this.#engines.names) void this.#engines.prepared(name).then(() => this.#pool.refill())
    housekeeping.every(assignEverySeconds, 'assigning machines to organizations', () => this.#assign())
    housekeeping.every(lookEverySeconds, 'checking the members of clusters', async () => this.#lost.look())
    housekeeping.every(sweepEverySeconds, 'reconciling machines', async () => {
      await this.#returned.recover()
      await this.#reconciler.sweep(this.#adoption.adopted)
      for (const engine of this.#adoption.adopted) {
        await this.#settleDisks(engine)
        await this.#settleVolumes(engine)
      }
      await this.#expirer.run()
      await this.#notices.run()
      await this.#rules.run()
      this.#pool.retry()
    })
  }

  async #adoptAll(): Promise<void> {
    await this.#recoverReturned()
    await this.#adoption.start()
  }

  async #adopt(engine: Engine): Promise<void> {
    engine.onMembersChange = () => this.#lost.look()
    await this.#reconciler.adopt(engine)
    await this.#settleDisks(engine)
    await this.#settleVolumes(engine)
  }

  /** A failure does not concern the machines, and the next sweep tries again. */
  async #settleDisks(engine: Engine): Promise<void> {
    await this.#disks
      .settle(engine)
      .catch(error =>
        this.#log.warn({ engine: engine.name, error }, 'the saved disks of an engine were not reconciled'),
      )
  }

  /** Likewise. */
  async #settleVolumes(engine: Engine): Promise<void> {
    await this.#volumes
      .settle(engine)
      .catch(error =>
        this.#log.warn({ engine: engine.name, error }, 'the volumes of an engine were not reconciled'),
      )
  }

  /** The engines as creates see them: an engine is not ready until its machines have been adopted. */
  #adoptedEngines(): Engines {
    const engines = this.#engines
    return {
      names: engines.names,
      get: name => engines.get(name),
      opened: name => engines.opened(name),
      health: async name => {
        const health = await engines.health(name)
        if (!health.ready || this.#adoption.isAdopted(name)) return health
        const failure = this.#adoption.failureOf(name)
        if (failure === undefined) return { ready: false, reason: 'The service is taking up its machines.' }
        return { ready: false, reason: `The engine ${name} is down: ${failure}` }
      },
      get packages() {
        return engines.packages
      },
      prepared: name => engines.prepared(name),
      close: () => engines.close(),
    }
  }

  /** Engines share the processor between organizations. */
  async #assign(): Promise<void> {
    const sharing = this.#engines.names
      .flatMap(name => this.#engines.get(name) ?? [])
      .filter(one => one.assign)
    if (sharing.length === 0) return
    const tenants = await selectTenants(this.#db, this.#keeper.nodeId)
    for (const engine of sharing) engine.assign?.(tenants)
  }

  async #heartbeat(): Promise<void> {
    await this.#lease.heartbeat()
    await this.#choice.refresh()
    await this.#showShapes()
  }

  /** Declares nodes lost, and takes up the machines that they had in clusters which this node uses too. */
  async #replaceLostNodes(): Promise<void> {
    const shared = this.#adoption.adopted.flatMap(({ name, cluster }) =>
      cluster === undefined ? [] : [{ engine: name, cluster }],
    )
    const isAlive = this.#started && this.#lease.obstacle === undefined
    const { nodeId, environment } = this.#keeper
    const renew = (spec: AnyStoredSpec) => environment.renew(spec, newMachineId())
    const heir = { nodeId, clusters: isAlive ? shared : [], renew }
    const isTaken = await declareLostNodes(this.#db, this.#watcher, heir, this.#log)
    const isInherited = await inheritLost(this.#db, heir)
    if (!isTaken && !isInherited) return
    await this.#returned.recover()
    for (const engine of this.#adoption.adopted) if (engine.cluster !== undefined) await this.#adopt(engine)
    await this.#rules.run()
    this.#pool.refill()
  }

  /** Callers see the shapes of engines that some node uses. */
  async #showShapes(): Promise<void> {
    await this.#engines
      .refreshOffers?.()
      .catch(error => this.#log.warn({ error }, 'the shapes that engines add were not read'))
    this.#shapes.showEngines([...this.#engines.names, ...(await selectEnginesOfNodes(this.#db))])
  }

  /**
   * Applies what happened while this node was lost: machines that another node has taken over are left to it, machines of deleted
   * sandboxes are destroyed, and the other sandboxes are recovered. A heartbeat must not wait for what engines do.
   */
  async #recoverAfterLoss(): Promise<void> {
    await this.#keeper.releaseMoved()
    this.#keeper.destroyDoomedSoon()
    void this.#recoverReturned()
  }

  /** What fails is tried again by every sweep. */
  async #recoverReturned(): Promise<void> {
    await this.#returned
      .recover()
      .catch(error =>
        this.#log.warn({ error }, 'sandboxes from before the loss of this node were not recovered'),
      )
  }

  async close(): Promise<void> {
    await this.#lease.close()
    this.#expirer.close()
    this.#notices.close()
    await this.#rules.close()
    this.#adoption.close()
    await this.#lost.close()
    await this.#pool.close()
    await this.#disks.close()
    await this.#volumes.close()
    await this.#keeper.close()
    await this.#engines.close()
  }
}
