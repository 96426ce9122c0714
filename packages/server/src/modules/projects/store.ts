import { randomUUID } from 'node:crypto'
import type { Project } from '@sandglass/protocol'
import type { Selectable } from 'kysely'
import type { Database, Prepared, Tx } from '../../db/database.ts'
import type { ProjectTable } from '../../db/schema.ts'

type Row = Selectable<ProjectTable>

export async function insertProject(
  tx: Tx,
  orgId: string,
  name: string,
  isDefault: boolean,
): Promise<Project> {
  const row = await tx
    .insertInto('projects')
    .values({ id: randomUUID(), org_id: orgId, name, is_default: isDefault })
    .returningAll()
    .executeTakeFirstOrThrow()
  return projectOf(row)
}

const selectOfOrganization = 'SELECT * FROM projects WHERE org_id = $1 ORDER BY created_at, id'

export async function selectProjects(prepared: Prepared, orgId: string): Promise<Project[]> {
  const rows = await prepared<Row>('projects-of-organization', selectOfOrganization, orgId)
  return rows.map(projectOf)
}

export async function countProjects(db: Database | Tx, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('projects')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function defaultProjectId(tx: Tx, orgId: string): Promise<string> {
  const { id } = await tx
    .selectFrom('projects')
    .select('id')
    .where('org_id', '=', orgId)
    .where('is_default', '=', true)
    .executeTakeFirstOrThrow()
  return id
}

/** Also prevents the deletion of the project until the transaction ends. */
export async function isProject(tx: Tx, orgId: string, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('projects')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst()
  return row !== undefined
}

/** Locks the project, so that nothing can be added to it until the transaction ends. */
export async function lockProject(tx: Tx, orgId: string, id: string): Promise<Project | undefined> {
  const row = await tx
    .selectFrom('projects')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row && projectOf(row)
}

export async function isInUse(tx: Tx, projectId: string): Promise<boolean> {
  const found = await tx
    .selectFrom('sandboxes')
    .select('id')
    .where('project_id', '=', projectId)
    .union(tx.selectFrom('mcp_servers').select('id').where('project_id', '=', projectId))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export async function renameProjectRow(tx: Tx, id: string, name: string): Promise<void> {
  await tx.updateTable('projects').set({ name }).where('id', '=', id).execute()
}

export async function deleteProjectRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('projects').where('id', '=', id).execute()
}

function projectOf(row: Row): Project {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at.toISOString(),
    defaultProject: row.is_default,
  }
}
