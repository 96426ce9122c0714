import { hkdfSync, randomBytes } from 'node:crypto'
import type { Database } from '../db/database.ts'

const name = 'master'

/** 32 bytes for one purpose, derived from a key that all processes on a database share, made by the first. */
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
