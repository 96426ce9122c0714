import { z } from 'zod'
import { read } from '../client/answers.ts'
import type { IncusClient } from '../client/index.ts'
import { SetupError } from './setup-context.ts'
import { type StorageDriver, storageDrivers } from './storage.ts'

const tokenSchema = z.object({
  server_name: z.string().min(1),
  fingerprint: z.string().regex(/^[0-9a-f]{64}$/i),
  addresses: z.array(z.string().min(1)).min(1),
  secret: z.string().min(1),
  expires_at: z.iso.datetime({ offset: true }).transform(text => new Date(text)),
  /** Incus ignores it. It tells a member what kind of pool it has to make a part of. */
  storage: z.enum(storageDrivers).optional(),
})

/** What a token says: where the cluster is, how to know it, and as whom to join. */
export interface JoinToken {
  readonly name: string
  readonly fingerprint: string
  readonly addresses: readonly string[]
  readonly expiresAt: Date
  readonly driver: StorageDriver
}

const announcedSchema = z.object({
  metadata: z.object({
    serverName: z.string(),
    fingerprint: z.string(),
    addresses: z.array(z.string()),
    secret: z.string(),
    expiresAt: z.string(),
  }),
})

/** Makes a token with which one box can join once. Another token for the same name replaces it. */
export async function createJoinToken(
  incus: IncusClient,
  name: string,
  driver: StorageDriver,
): Promise<{ readonly token: string; readonly expiresAt: Date }> {
  const announced = read(
    announcedSchema,
    await incus.send('POST', '/cluster/members', { server_name: name }),
    'a join token',
  ).metadata
  const content = {
    server_name: announced.serverName,
    fingerprint: announced.fingerprint,
    addresses: announced.addresses,
    secret: announced.secret,
    expires_at: announced.expiresAt,
    storage: driver,
  }
  return {
    token: Buffer.from(JSON.stringify(content)).toString('base64'),
    expiresAt: new Date(announced.expiresAt),
  }
}

/** Reads a token, also one of `incus cluster add`. */
export function readJoinToken(token: string, now = new Date()): JoinToken {
  const parsed = tokenSchema.safeParse(contentOf(token.trim()))
  if (!parsed.success)
    throw new SetupError(
      'This is not a join token. Copy all of what `npm run cluster -- token NAME` prints on a member.',
    )
  const { server_name: name, fingerprint, addresses, expires_at: expiresAt, storage } = parsed.data
  if (expiresAt <= now)
    throw new SetupError(
      `This token expired at ${expiresAt.toISOString()}. Make another on a member: npm run cluster -- token ${name}`,
    )
  return { name, fingerprint, addresses, expiresAt, driver: storage ?? 'btrfs' }
}

function contentOf(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64').toString())
  } catch {
    return undefined
  }
}
