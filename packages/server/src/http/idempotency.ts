import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { ApiError, type Operation } from '@sandglass/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Principal } from '../auth/principal.ts'
import type { SecretKeys } from '../auth/secret-keys.ts'
import { canonicalJson } from '../canonical-json.ts'
import type { Database, Tx } from '../db/database.ts'
import { isLockTimeout } from '../db/faults.ts'

/** How long a repeated request waits for the first one to finish. */
export const idempotencyWaitMs = 3000

export interface IdempotencyKey {
  readonly caller: string
  readonly key: string
  /** A hash of the request under each secret key, newest first. */
  readonly requestHashes: readonly [Buffer, ...Buffer[]]
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The keys for the hashes of requests, newest first. */
    requestHashKeys: readonly [KeyObject, ...KeyObject[]]
  }
}

/**
 * Sets the keys for the hashes of requests. A plain hash in a backup would let its reader try values for the secrets
 * in a request, such as a password in the environment of a sandbox.
 */
export function addIdempotency(app: FastifyInstance, keys: SecretKeys): void {
  const [newest, ...older] = keys.derive('sandglass idempotent requests')
  app.decorate('requestHashKeys', [createSecretKey(newest), ...older.map(key => createSecretKey(key))])
}

/**
 * Returns the Idempotency-Key of a request, if it has one. Keys are scoped to their caller, so nobody can read the
 * answers of others.
 */
export function idempotencyKeyOf(
  request: FastifyRequest,
  operation: Operation,
  principal: Principal,
): IdempotencyKey | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || key.length < 1 || key.length > 255)
    throw new ApiError('request.INVALID', {
      message: 'Idempotency-Key must have 1 to 255 characters.',
      fields: { issues: [{ path: 'Idempotency-Key', message: 'must have 1 to 255 characters' }] },
    })
  const requestText = canonicalJson([operation.id, request.params, request.body ?? null])
  const hashOf = (key: KeyObject) => createHmac('sha256', key).update(requestText).digest()
  const [newest, ...older] = request.server.requestHashKeys
  return {
    caller: `${principal.kind}:${principal.id}`,
    key,
    requestHashes: [hashOf(newest), ...older.map(hashOf)],
  }
}

/**
 * Claims the key within the transaction, or returns the answer that was stored with it. A request in progress with
 * the same key holds a lock on the row, so this one waits for its outcome. Two concurrent requests therefore create
 * one thing.
 */
export async function takeKey(
  tx: Tx,
  { caller, key, requestHashes }: IdempotencyKey,
): Promise<{ answer: unknown } | undefined> {
  await sql`SELECT set_config('lock_timeout', ${String(idempotencyWaitMs)}, true)`.execute(tx)
  const taken = await tx
    .insertInto('idempotency')
    .values({ caller, key, request_hash: requestHashes[0] })
    .onConflict(conflict => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
    .catch(error => {
      throw isLockTimeout(error) ? new ApiError('idempotency.IN_PROGRESS', { retryAfter: 1 }) : error
    })
  await sql`SELECT set_config('lock_timeout', '0', true)`.execute(tx)
  if (taken) return undefined
  const kept = await findAnswer(tx, { caller, key, requestHashes })
  if (!kept) throw new ApiError('idempotency.IN_PROGRESS', { retryAfter: 1 })
  return kept
}

/** Returns the answer that was stored with the key, or undefined if no request with the key has finished. */
export async function findAnswer(
  db: Database | Tx,
  { caller, key, requestHashes }: IdempotencyKey,
): Promise<{ answer: unknown } | undefined> {
  const kept = await db
    .selectFrom('idempotency')
    .select(['request_hash', 'answer'])
    .where('caller', '=', caller)
    .where('key', '=', key)
    .executeTakeFirst()
  if (!kept) return undefined
  if (!requestHashes.some(hash => kept.request_hash.equals(hash)))
    throw new ApiError('idempotency.KEY_REUSED')
  return { answer: kept.answer }
}

/** Stores the answer for repeated requests, without the secrets in it. */
export async function keepAnswer(
  tx: Tx,
  { caller, key }: IdempotencyKey,
  answer: unknown,
  secrets: readonly string[],
): Promise<void> {
  const hidden = new Set(secrets.map(path => path.split('.').at(-1)))
  const text = JSON.stringify(answer, (name, value) => (hidden.has(name) ? undefined : value))
  await tx
    .updateTable('idempotency')
    .set({ answer: text ?? null })
    .where('caller', '=', caller)
    .where('key', '=', key)
    .execute()
}

/** Deletes the keys that are older than 24 hours. */
export async function forgetOldKeys(db: Database): Promise<void> {
  await db
    .deleteFrom('idempotency')
    .where('created_at', '<', sql<Date>`now() - interval '24 hours'`)
    .execute()
}
