import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { newSecret } from './auth/secret.ts'
import type { DataDirectory } from './data-directory.ts'
import type { Database, Tx } from './db/database.ts'
import { transact } from './db/transact.ts'
import { createKey } from './modules/api-keys/service.ts'
import { createOrganization } from './modules/organizations/service.ts'
import { selectOrganizations } from './modules/organizations/store.ts'
import { enterNode, type ThisNode } from './records/nodes.ts'

/** The content of credentials.json, for the person who runs the service. */
const Credentials = z.object({
  url: z.string(),
  orgId: z.string(),
  apiKey: z.string(),
  operatorKey: z.string(),
})
export type Credentials = z.infer<typeof Credentials>

const fileName = 'credentials.json'
/** Contains the id of the database that the credentials belong to. */
const installationFile = 'installation'

/** The advisory lock under which one process at a time creates the first credentials. */
const lockId = 0x5a4d_91a5

/**
 * Registers this node, and ensures that its data directory has credentials. They are kept across starts, and created
 * if the file is missing or the database does not know this node. The first node of a database also creates the first
 * organization. The file is written to disk before the transaction commits the keys, so none is ever lost.
 * `isNew` is true if they were created now.
 */
export async function ensureCredentials(
  db: Database,
  data: DataDirectory,
  installation: string,
  node: ThisNode,
  url: string,
): Promise<{ readonly credentials: Credentials; readonly isNew: boolean }> {
  await switchInstallation(data, installation)
  return transact(db, async tx => {
    await sql`SELECT pg_advisory_xact_lock(${lockId})`.execute(tx)
    const isNewNode = await enterNode(tx, node)
    const kept = isNewNode ? undefined : await readCredentials(data)
    const { orgId, apiKey, operatorKey } = kept ?? (await makeCredentials(tx))
    const credentials = { url, orgId, apiKey, operatorKey }
    await data.write(fileName, `${JSON.stringify(credentials, null, 2)}\n`)
    return { credentials, isNew: kept === undefined }
  })
}

/**
 * If the service was started with another database before, its credentials are set aside under the id of that
 * database, and those of the current one are restored. A start with the wrong database therefore does not lose the
 * keys of the right one.
 */
async function switchInstallation(data: DataDirectory, installation: string): Promise<void> {
  const before = (await data.read(installationFile))?.trim()
  if (before !== installation) {
    const current = await data.read(fileName)
    if (before && current !== undefined) {
      await data.write(asideFile(before), current)
      await data.remove(fileName)
    }
    await data.write(installationFile, `${installation}\n`)
  }
  // This also completes an exchange that an earlier start did not finish.
  const aside = await data.read(asideFile(installation))
  if (aside === undefined) return
  if ((await data.read(fileName)) === undefined) await data.write(fileName, aside)
  await data.remove(asideFile(installation))
}

const asideFile = (installation: string) => `credentials-${installation}.json`

async function readCredentials(data: DataDirectory): Promise<Credentials | undefined> {
  const text = await data.read(fileName)
  if (text === undefined) return undefined
  try {
    return Credentials.parse(JSON.parse(text))
  } catch (cause) {
    throw new Error(
      `${fileName} in the data directory is damaged. Move it away and start again to get new keys.`,
      { cause },
    )
  }
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
