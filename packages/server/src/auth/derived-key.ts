import { hkdfSync, randomBytes } from 'node:crypto'
import type { Database } from '../db/database.ts'

const name = 'master'

/**
 * Derives 32 bytes for one purpose from the master key. The first process creates that key in the database, so all
 * processes derive the same bytes.
 */
export async function derivedKey(db: Database, purpose: string): Promise<Buffer> {
  await db
    .insertInto('service_keys')
    .values({ name, secret: randomBytes(32) })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const { secret } = await db
    .selectFrom('service_keys')
    .select('secret')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
}
