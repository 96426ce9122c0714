import { createSecretKey } from 'node:crypto'
import {
  type Destination,
  MappingEntrance,
  MappingGateway,
  MappingNames,
  MappingTokens,
} from '@sandglass/mappings'
import type { Logger } from 'pino'
import type { OpenByCredential } from '../../auth/open-by-credential.ts'
import type { SecretKeys } from '../../auth/secret-keys.ts'
import type { DatabaseClock } from '../../db/clock.ts'
import type { Pool } from '../../db/database.ts'
import type { Listener } from '../../db/listener.ts'
import type { Housekeeping } from '../../housekeeping.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import type { Metrics } from '../../ops/metrics.ts'
import type { Placement } from '../../placement/placement.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import type { Settings } from '../../settings.ts'
import type { SandboxWork } from '../sandboxes/lifecycle/sandbox-work.ts'
import type { Waking } from '../sandboxes/lifecycle/waking.ts'
import type { SandboxUse } from '../sandboxes/use.ts'
import { CredentialHolders } from './credential-holders.ts'
import { MappingDirectory } from './directory.ts'

/** A WebSocket or a stream is closed after this long without data. */
const idleMs = 3_600_000
/** How long a program may take to begin its response, unless its mapping says otherwise. */
const waitMs = 300_000
const sweepEverySeconds = 5

/** The mapped ports of this process: their names, tokens, gateway and destinations. */
export class MappingService {
  readonly names: MappingNames
  readonly tokens: MappingTokens
  readonly gateway: MappingGateway
  readonly #directory: MappingDirectory
  readonly #holders: CredentialHolders

  constructor(parts: MappingServiceParts) {
    const {
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
    } = parts
    const names = new MappingNames(() => settings.SANDGLASS_MAPPING_DOMAIN ?? parts.localDomain())
    const [newest, ...older] = keys.derive('sandglass mapping tokens')
    const tokens = new MappingTokens(createSecretKey(newest), ...older.map(key => createSecretKey(key)))
    this.names = names
    this.tokens = tokens
    this.#directory = new MappingDirectory({ pool, keeper, placement, listener, use, log, work, waking })
    this.#holders = new CredentialHolders({ prepared: pool.prepared, listener, clock, open })
    const entrance = new MappingEntrance({
      names,
      tokens,
      holders: this.#holders,
      find: this.#directory.find,
    })
    this.gateway = new MappingGateway(
      {
        clients: placement.peers.clientOf,
        limits: {
          perMapping: settings.SANDGLASS_MAPPING_CONNECTIONS,
          total: settings.SANDGLASS_ALL_MAPPING_CONNECTIONS,
          idleMs,
          waitMs,
        },
        onEnd: status => metrics.countMapped(status),
        onFault: error => log.error({ error }, 'a request through a mapping failed'),
      },
      entrance,
    )
    metrics.watchMapped(() => this.gateway.open)
  }

  /** Returns where a port of a sandbox leads that has no mapping of its own. */
  findPort(sandbox: SandboxRow, port: number): Destination | Promise<Destination> {
    return this.#directory.findPort(sandbox, port)
  }

  /** Call this when the sandbox of a mapping has changed. The id "*" stands for all mappings. */
  moved(id: string): void {
    this.#directory.forget(id)
  }

  ended(id: string): void {
    this.#directory.forget(id)
    this.gateway.forget(id)
  }

  /** Call this when a credential has changed. */
  credentialsChanged(): void {
    this.#holders.forgetAll()
  }

  /** Call this when notifications may have been missed. */
  forgetAll(): void {
    this.#directory.forgetAll()
    this.#holders.forgetAll()
  }

  start(housekeeping: Housekeeping): void {
    housekeeping.every(sweepEverySeconds, 'closing idle mapped connections', async () => this.gateway.sweep())
  }
}

interface MappingServiceParts {
  readonly settings: Settings
  readonly pool: Pool
  readonly keys: SecretKeys
  readonly keeper: MachineKeeper
  readonly placement: Placement
  readonly listener: Pick<Listener, 'isFresh'>
  readonly open: OpenByCredential
  readonly clock: DatabaseClock
  readonly metrics: Metrics
  readonly use: SandboxUse
  readonly work: SandboxWork
  readonly waking: Waking
  readonly log: Logger
  /** Returns localhost with the port of the service. */
  readonly localDomain: () => string
}
