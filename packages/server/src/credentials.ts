import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { newSecret } from './auth/secret.ts'
import type { Credentials, CredentialsFile } from './credentials-file.ts'
import type { Database, Tx } from './db/database.ts'
import { transact } from './db/transact.ts'
import { createKey } from './modules/api-keys/service.ts'
import { createOrganization } from './modules/organizations/service.ts'
import { selectOrganizations } from './modules/organizations/store.ts'
import { enterNode, type ThisNode } from './records/nodes.ts'

/** The advisory lock under which one process at a time creates the first credentials. */
const lockId = 0x5a4d_91a5

/**
 * Registers this node, and ensures that its data directory has credentials. They are kept across starts, and created
 * if the file is missing or the database does not know this node. The first node of a database also creates the first
 * organization. The file is written to disk before the transaction commits the keys, so none is ever lost.
 * `isNew` is true if they were created now.
 */
export function ensureCredentials(
  db: Database,
  file: CredentialsFile,
  installation: string,
  node: ThisNode,
  url: string,
): Promise<{ readonly credentials: Credentials; readonly isNew: boolean }> {
  return file.exclusively(async () => {
    await file.switchInstallation(installation)
    return transact(db, async tx => {
      await sql`SELECT pg_advisory_xact_lock(${lockId})`.execute(tx)
      const isNewNode = await enterNode(tx, node)
      if (!isNewNode) await file.settle(tx)
      const kept = isNewNode ? undefined : await file.read()
      const { orgId, apiKey, operatorKey } = kept ?? (await makeCredentials(tx))
      const credentials = { url, orgId, apiKey, operatorKey }
      await file.write(credentials)
      return { credentials, isNew: kept === undefined }
    })
  })
}

async function makeCredentials(tx: Tx): Promise<Omit<Credentials, 'url'>> {
  const [first] = await selectOrganizations(tx)
  const { orgId, apiKey } = first
    ? { orgId: first.id, apiKey: (await createKey(tx, first.id, { name: 'owner', role: 'owner' })).apiKey }
    : await firstOrganization(tx)
  const operator = newSecret('operator')
  await tx
    .insertInto('operator_keys')
    .values({ id: randomUUID(), prefix: operator.prefix, hash: operator.hash })
    .execute()
  return { orgId, apiKey: apiKey ?? '', operatorKey: operator.text }
}

async function firstOrganization(tx: Tx) {
  const { organization, ownerKey } = await createOrganization(tx, {
    name: 'First organization',
    plan: 'unlimited',
    featureFlags: [],
  })
  return { orgId: organization.id, apiKey: ownerKey.apiKey }
}
