import { clientsBehind } from '@sandglass/mappings'
import type { SecretKeys } from '../auth/secret-keys.ts'
import type { DatabaseClock } from '../db/clock.ts'
import type { Pool } from '../db/database.ts'
import type { Channels, Listener } from '../db/listener.ts'
import type { Settings } from '../settings.ts'
import { NodeAddresses } from './node-addresses.ts'
import { Marks } from './peers/mark.ts'
import { Peers } from './peers/peers.ts'
import { Placement } from './placement.ts'

export interface OpenPlacementParts {
  readonly settings: Settings
  readonly nodeId: string
  readonly pool: Pool
  readonly keys: SecretKeys
  readonly clock: DatabaseClock
  readonly listener: Pick<Listener, 'isFresh'>
}

export interface OpenPlacement {
  readonly placement: Placement
  /** Handlers for what other processes announce about nodes. */
  readonly channels: Channels
  /** Call this when announcements may have been missed. */
  forgetAll(): void
}

/** Opens placement for this process, with the peers and caches that it needs. */
export function openPlacement(parts: OpenPlacementParts): OpenPlacement {
  const { settings, nodeId, pool, keys, clock, listener } = parts
  const addresses = new NodeAddresses(pool.prepared, listener)
  const peers = new Peers({
    marks: new Marks(keys.derive('sandglass forwarding marks'), nodeId, clock.now),
    addresses,
    clients: clientsBehind(settings.SANDGLASS_TRUSTED_PROXIES),
  })
  return {
    placement: new Placement({ nodeId, db: pool.db, peers }),
    channels: { node_addresses: id => addresses.forget(id) },
    forgetAll: () => addresses.forgetAll(),
  }
}
