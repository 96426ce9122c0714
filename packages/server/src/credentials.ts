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

/** What credentials.json holds, for whoever runs the service. */
const Credentials = z.object({
  url: z.string(),
  orgId: z.string(),
  apiKey: z.string(),
  operatorKey: z.string(),
})
export type Credentials = z.infer<typeof Credentials>

const fileName = 'credentials.json'
/** Names the database that the credentials are of. */
const installationFile = 'installation'

/** Names the lock under which one process at a time gives out the first credentials. */
const lockId = 0x5a4d_91a5

/**
 * Enters this node and makes sure that its data directory has credentials: they are kept from start to start, and
 * made where the file is missing or the database does not know this node. The first node of a database also makes
 * the first organization. The file is on the disk before the database takes the keys, so none is ever lost.
 */
export async function ensureCredentials(
  db: Database,
  data: DataDirectory,
  installation: string,
  node: ThisNode,
  url: string,
): Promise<Credentials> {
  await exchange(data, installation)
  return transact(db, async tx => {
    await sql`SELECT pg_advisory_xact_lock(${lockId})`.execute(tx)
    const isNew = await enterNode(tx, node)
    const kept = isNew ? undefined : await readCredentials(data)
    const { orgId, apiKey, operatorKey } = kept ?? (await makeCredentials(tx))
    const credentials = { url, orgId, apiKey, operatorKey }
    await data.write(fileName, `${JSON.stringify(credentials, null, 2)}\n`)
    return credentials
  })
}

/**
 * Where the service was started with another database before, the credentials of that one are put aside under its id, and
 * those of this one are fetched back: a start with the wrong database costs nobody the keys of the right one.
 */
async function exchange(data: DataDirectory, installation: string): Promise<void> {
  const before = (await data.read(installationFile))?.trim()
  if (before !== installation) {
    const current = await data.read(fileName)
    if (before && current !== undefined) {
      await data.write(asideFile(before), current)
      await data.remove(fileName)
    }
    await data.write(installationFile, `${installation}\n`)
  }
  // Also where a start was cut off in between.
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
