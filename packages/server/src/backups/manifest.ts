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

/** A part of what an engine keeps, such as a disk. */
const Part = z.object({ engine: z.string(), name: z.string(), isFixed: z.boolean(), content: Content })

/** A saved disk or a volume. The engine that has made it knows what `about` means. */
const Kept = z.object({ id: z.string(), engine: z.string(), about: z.json(), parts: z.array(z.string()) })

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
  disks: z.array(Kept),
  volumes: z.array(Kept),
  parts: z.array(Part),
})
export type Manifest = z.infer<typeof Manifest>
export type KeptCopy = z.infer<typeof Kept>
export type PartCopy = z.infer<typeof Part>

/** All content of a backup. */
export function* contentsOf({ database, files, parts }: Manifest): Generator<Content> {
  for (const { content } of [...database.tables, ...files, ...parts]) yield content
}
