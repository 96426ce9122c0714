import { ApiError, type Project } from '@sandglass/protocol'
import type { Tx } from '../../db/database.ts'
import {
  countProjects,
  deleteProjectRow,
  insertProject,
  isInUse,
  lockProject,
  renameProjectRow,
} from './store.ts'

/** Limits the size of the answer of listProjects, which is not paginated. */
export const maxProjects = 1000

export async function createProject(tx: Tx, orgId: string, name: string): Promise<Project> {
  if ((await countProjects(tx, orgId)) >= maxProjects) throw new ApiError('project.TOO_MANY')
  return insertProject(tx, orgId, name, false)
}

export async function renameProject(tx: Tx, orgId: string, id: string, name: string): Promise<Project> {
  const project = await lockProject(tx, orgId, id)
  if (!project) throw new ApiError('project.NOT_FOUND')
  await renameProjectRow(tx, id, name)
  return { ...project, name }
}

export async function deleteProject(tx: Tx, orgId: string, id: string): Promise<void> {
  const project = await lockProject(tx, orgId, id)
  if (!project) throw new ApiError('project.NOT_FOUND')
  if (project.defaultProject) throw new ApiError('project.DEFAULT')
  if (await isInUse(tx, id)) throw new ApiError('project.NOT_EMPTY')
  await deleteProjectRow(tx, id)
}
