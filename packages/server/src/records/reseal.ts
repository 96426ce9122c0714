import { MachineError } from '@sandglass/machines/contract'
import type { EnvironmentSeal } from '../auth/environment-seal.ts'
import type { Database } from '../db/database.ts'

/**
 * Encrypts environments that an earlier version stored in clear, and encrypts those of an older key again with the newest one, so
 * that the older key can be removed. The same goes for the secrets of webhooks. Returns the machines, images and webhooks for which
 * that is not possible, because their key is gone.
 */
export async function resealEnvironments(db: Database, seal: EnvironmentSeal): Promise<readonly string[]> {
  const unreadable: string[] = []
  const rows = await db.selectFrom('machines').select(['id', 'spec']).where('state', '!=', 'doomed').execute()
  for (const { id, spec } of rows.filter(row => seal.isOutdated(row.spec)))
    try {
      const resealed = JSON.stringify(seal.seal(seal.open(spec)))
      await db.updateTable('machines').set({ spec: resealed }).where('id', '=', id).execute()
    } catch (error) {
      if (!(error instanceof MachineError)) throw error
      unreadable.push(id)
    }
  return [...unreadable, ...(await resealImages(db, seal)), ...(await resealWebhooks(db, seal))]
}

async function resealImages(db: Database, seal: EnvironmentSeal): Promise<readonly string[]> {
  const unreadable: string[] = []
  const rows = await db
    .selectFrom('machine_images')
    .select(['id', 'sealed_env'])
    .where('sealed_env', 'is not', null)
    .execute()
  for (const { id, sealed_env: sealedEnv } of rows) {
    if (sealedEnv === null || !seal.isOutdated({ sealedEnv })) continue
    try {
      const resealed = seal.sealVariables(id, seal.openVariables(id, sealedEnv)) ?? null
      await db.updateTable('machine_images').set({ sealed_env: resealed }).where('id', '=', id).execute()
    } catch (error) {
      if (!(error instanceof MachineError)) throw error
      unreadable.push(id)
    }
  }
  return unreadable
}

async function resealWebhooks(db: Database, seal: EnvironmentSeal): Promise<readonly string[]> {
  const unreadable: string[] = []
  const rows = await db.selectFrom('webhooks').select(['id', 'sealed_secrets']).execute()
  for (const { id, sealed_secrets: sealed } of rows) {
    if (!seal.isOutdated({ sealedEnv: sealed })) continue
    try {
      const resealed = seal.sealVariables(id, seal.openVariables(id, sealed)) ?? sealed
      await db
        .updateTable('webhooks')
        .set({ sealed_secrets: resealed })
        .where('id', '=', id)
        // Another process may have rotated the secret meanwhile.
        .where('sealed_secrets', '=', sealed)
        .execute()
    } catch (error) {
      if (!(error instanceof MachineError)) throw error
      unreadable.push(id)
    }
  }
  return unreadable
}
