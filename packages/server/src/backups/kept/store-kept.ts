import type { KeptKind, KeptReader } from '@sandglass/machines/contract'
import type pg from 'pg'
import type { KeptWish } from '../kept-kinds.ts'
import type { KeptCopy } from '../manifest.ts'
import { BackupError, type Repository } from '../repository.ts'

/** What is wanted of that which engines keep, and how to read it. */
export interface WantedKept {
  readonly include: ReadonlySet<KeptWish>
  /** By the names of the engines. What engines have that are not among them is not contained. */
  readonly readers: ReadonlyMap<string, KeptReader>
  readonly tell: (line: string) => void
  /** Gives up reading. */
  readonly signal?: AbortSignal
}

/** A saved disk or a volume that the database has. */
export interface KeptRow {
  readonly kind: 'disk' | 'volume'
  readonly id: string
  readonly engine: string
  readonly number: string
}

/** Selects what a node keeps for its users. Disks that only speed up builds of images are left out. */
export async function selectKept(
  client: pg.ClientBase,
  include: ReadonlySet<KeptWish>,
  nodeId: string | null,
): Promise<KeptRow[]> {
  const { rows } = await client.query<KeptRow>(
    `SELECT 'disk' AS kind, id, engine, number FROM saved_disks AS disk
       WHERE state = 'ready' AND node_id = $1 AND (
         ($2 AND EXISTS (SELECT FROM machine_images WHERE disk_id = disk.id)) OR
         ($3 AND EXISTS (SELECT FROM sandbox_snapshots WHERE disk_id = disk.id)))
     UNION ALL
     SELECT 'volume', id, engine, number FROM volumes WHERE state = 'ready' AND node_id = $1 AND $4
     ORDER BY 1, 2`,
    [nodeId, include.has('images'), include.has('snapshots'), include.has('volumes')],
  )
  return rows
}

/** Stores the content of disks and volumes, with the base images of disks before them. */
export async function storeKept(
  repository: Repository,
  rows: readonly KeptRow[],
  { readers, tell, signal }: WantedKept,
): Promise<KeptCopy[]> {
  const earlier = rows.length > 0 ? await keptBefore(repository) : []
  const stored: KeptCopy[] = []
  for (const { kind, id, engine, number } of rows) {
    const reader = readers.get(engine)
    const what = { engine, earlier, tell, signal, number: Number(number) }
    const copy = reader && (await storeOne(repository, reader, { ...what, kind, id }))
    if (!reader) tell(`The ${kind} ${id} is not contained, because it is one of the engine ${engine}.`)
    if (!copy) continue
    const { base } = copy
    if (
      base !== null &&
      !stored.some(one => one.kind === 'base' && one.engine === engine && one.id === base)
    ) {
      const made = await storeOne(repository, reader, { ...what, kind: 'base', id: base, number: 0 })
      if (!made)
        throw new BackupError(`The image ${base}, which the saved disk ${id} relies on, is not there.`)
      stored.push(made)
    }
    stored.push(copy)
  }
  return stored
}

interface One {
  readonly kind: KeptKind
  readonly id: string
  readonly engine: string
  readonly number: number
  readonly earlier: readonly KeptCopy[]
  readonly tell: (line: string) => void
  readonly signal: AbortSignal | undefined
}

/** Returns undefined for what was deleted meanwhile. */
async function storeOne(
  repository: Repository,
  reader: KeptReader,
  { kind, id, engine, number, earlier, tell, signal }: One,
): Promise<KeptCopy | undefined> {
  const described = await reader.describe(kind, id)
  if (!described) return undefined
  const { about, base = null, occupiedMiB } = described
  const copy = { kind, id, engine, about, base, occupiedMiB, number }
  // Only volumes change, so nothing else is read twice.
  const known = earlier.find(one => one.kind === kind && one.id === id && one.engine === engine)
  if (kind !== 'volume' && known && (await repository.has(known.content)))
    return { ...copy, content: known.content }
  tell(`Reading the ${kind === 'base' ? 'image' : kind} ${id} (${Math.ceil(occupiedMiB)} MiB).`)
  try {
    return {
      ...copy,
      content: await reader.read(kind, id, content => repository.store(until(signal, content))),
    }
  } catch (error) {
    if (await reader.describe(kind, id)) throw error
    return undefined
  }
}

async function* until(
  signal: AbortSignal | undefined,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    signal?.throwIfAborted()
    yield piece
  }
}

/** What the newest backup with disks contains. If a manifest cannot be read, everything is read again. */
async function keptBefore(repository: Repository): Promise<readonly KeptCopy[]> {
  for (const id of (await repository.ids()).reverse()) {
    const manifest = await repository.manifest(id).catch(() => undefined)
    if (manifest && manifest.kept.length > 0) return manifest.kept
  }
  return []
}
