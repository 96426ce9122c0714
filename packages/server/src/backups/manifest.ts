import { z } from 'zod'

/** Content as the names of its chunks in order. Each has {@link chunkBytes} but for the last one. */
export const Content = z.object({ bytes: z.int().min(0), chunks: z.array(z.string()) })
export type Content = z.infer<typeof Content>

/** Large content is stored in chunks of this size. */
export const chunkBytes = 4 * 1024 * 1024

const Table = z.object({ name: z.string(), columns: z.array(z.string()), content: Content })
const Sequence = z.object({ name: z.string(), lastValue: z.string().regex(/^-?\d+$/), isCalled: z.boolean() })

/** The database at one moment. */
export const DatabaseCopy = z.object({
  /** The migrations that had been applied, in order. */
  migrations: z.array(z.string()),
  /** A table comes after those that its rows refer to. */
  tables: z.array(Table),
  sequences: z.array(Sequence),
})
export type DatabaseCopy = z.infer<typeof DatabaseCopy>

/** A saved disk, a volume, or a base image that disks rely on. The engine that has made it knows what `about` means. */
const Kept = z.object({
  kind: z.enum(['base', 'disk', 'volume']),
  id: z.string(),
  engine: z.string(),
  about: z.json(),
  /** The id of the base image that a disk relies on, which comes before it. */
  base: z.string().nullable(),
  occupiedMiB: z.number(),
  /** The number that the database gave it when its row was inserted. */
  number: z.int(),
  content: Content,
})

/** What one backup consists of. It is stored last, so there is either a complete backup or none. */
export const Manifest = z.object({
  format: z.literal(1),
  id: z.string(),
  at: z.iso.datetime(),
  version: z.string(),
  nodeId: z.string().nullable(),
  hostname: z.string(),
  installation: z.string(),
  database: DatabaseCopy,
  /** Files of the data directory. */
  files: z.array(z.object({ name: z.string(), content: Content })),
  /** What engines keep of images, snapshots and volumes, as far as it was wanted. */
  kept: z.array(Kept),
})
export type Manifest = z.infer<typeof Manifest>
export type KeptCopy = z.infer<typeof Kept>

/** All content of a backup. */
export function* contentsOf({ database, files, kept }: Manifest): Generator<Content> {
  for (const { content } of [...database.tables, ...files, ...kept]) yield content
}
