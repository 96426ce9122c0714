import type { PictureId } from './picture-id.ts'
import type { PictureOwner } from './picture-owner.ts'

/** How many bytes of pictures are kept. */
export interface PictureLimits {
  readonly sandboxBytes: number
  readonly organizationBytes: number
  readonly nodeBytes: number
}

interface Entry {
  readonly id: PictureId
  readonly owner: PictureOwner | undefined
  bytes: number
}

/** What the folder and the links of one id take, so that tiny pictures cannot exhaust the inodes of a disk. */
const overheadBytes = 4096

/**
 * Counts the pictures of each sandbox and organization, and decides which are evicted: the oldest ones of whoever is
 * above a limit. If the node is above its limit, that is the organization that has most. Each id counts with the whole
 * size of its picture, even if other ids share the file.
 */
export class PictureLedger {
  readonly #limits: PictureLimits
  /** The oldest come first. */
  readonly #entries = new Map<string, Entry>()
  readonly #sandboxes = new Map<string, Holding>()
  readonly #organizations = new Map<string, Holding>()
  #bytes = 0

  constructor(limits: PictureLimits) {
    this.#limits = limits
  }

  /** The bytes that are counted now, of all organizations. */
  get bytes(): number {
    return this.#bytes
  }

  get sandboxIds(): readonly string[] {
    return [...this.#sandboxes.keys()]
  }

  has(id: string): boolean {
    return this.#entries.has(id)
  }

  ownerOf(id: string): PictureOwner | undefined {
    return this.#entries.get(id)?.owner
  }

  ofSandbox(sandboxId: string): readonly PictureId[] {
    return [...(this.#sandboxes.get(sandboxId)?.entries ?? [])].map(({ id }) => id)
  }

  /** Counts bytes that were stored for an id. Returns the ids that have to be deleted, and no longer counts those. */
  add(id: PictureId, owner: PictureOwner | undefined, bytes: number): readonly PictureId[] {
    this.#count(id, owner, bytes)
    const { sandboxBytes, organizationBytes, nodeBytes } = this.#limits
    const evicted: PictureId[] = []
    const sandbox = owner && this.#sandboxes.get(owner.sandboxId)
    const organization = this.#organizations.get(owner?.orgId ?? '')
    const evictFrom = (holding: Holding) => {
      // The picture that was just taken is kept, so that its URL works whatever the limit.
      for (const oldest of holding.entries)
        if (oldest.id.text !== id.text) {
          this.remove(oldest.id)
          evicted.push(oldest.id)
          return true
        }
      return false
    }
    while (sandbox && sandbox.bytes > sandboxBytes && evictFrom(sandbox));
    while (organization && organization.bytes > organizationBytes && evictFrom(organization));
    while (this.#bytes > nodeBytes && evictFrom(this.#largest()));
    return evicted
  }

  remove({ text }: PictureId): void {
    const entry = this.#entries.get(text)
    if (!entry) return
    this.#entries.delete(text)
    this.#bytes -= entry.bytes
    for (const [holdings, key] of this.#holdingsOf(entry.owner)) {
      const holding = holdings.get(key)
      if (!holding) continue
      holding.entries.delete(entry)
      holding.bytes -= entry.bytes
      if (holding.entries.size === 0) holdings.delete(key)
    }
  }

  /** Stops counting pictures that have expired, which the store deletes by itself. */
  expire(now: number): void {
    for (const { id } of this.#entries.values()) {
      if (id.expiresAt > now) return
      this.remove(id)
    }
  }

  #count(id: PictureId, owner: PictureOwner | undefined, bytes: number): void {
    const known = this.#entries.get(id.text)
    const entry = known ?? { id, owner, bytes: 0 }
    const added = known ? bytes : bytes + overheadBytes
    entry.bytes += added
    this.#bytes += added
    this.#entries.set(id.text, entry)
    for (const [holdings, key] of this.#holdingsOf(entry.owner)) {
      const holding = holdings.get(key) ?? { entries: new Set(), bytes: 0 }
      holdings.set(key, holding)
      holding.entries.add(entry)
      holding.bytes += added
    }
  }

  #holdingsOf(owner: PictureOwner | undefined): readonly [Map<string, Holding>, string][] {
    if (!owner) return [[this.#organizations, '']]
    return [
      [this.#sandboxes, owner.sandboxId],
      [this.#organizations, owner.orgId],
    ]
  }

  #largest(): Holding {
    const none: Holding = { entries: new Set(), bytes: 0 }
    return [...this.#organizations.values()].reduce(
      (most, one) => (one.bytes > most.bytes ? one : most),
      none,
    )
  }
}

interface Holding {
  /** The oldest come first. */
  readonly entries: Set<Entry>
  bytes: number
}
