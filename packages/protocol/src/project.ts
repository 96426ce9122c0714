import { z } from 'zod'
import { operation } from './operation.ts'
import { Name } from './text.ts'
import { Time } from './time.ts'

/** A group of sandboxes in an organization. */
export const Project = z
  .object({ id: z.string(), name: z.string(), createdAt: Time, defaultProject: z.boolean() })
  .meta({ id: 'Project' })
export type Project = z.infer<typeof Project>

/** A project in a request; published clients send "" for the default project. */
export const ProjectReference = z
  .string()
  .max(100)
  .optional()
  .describe('The id of a project. If omitted or "", the default project.')

const projects = '/api/orgs/{orgId}/projects'

export const listProjects = operation({
  id: 'listProjects',
  tag: 'Projects',
  summary: 'List the projects of the organization.',
  method: 'GET',
  path: projects,
  access: { to: 'organization', role: 'viewer', trial: true },
  response: z.array(Project),
})

export const createProject = operation({
  id: 'createProject',
  tag: 'Projects',
  summary: 'Create a project.',
  method: 'POST',
  path: projects,
  access: { to: 'organization', role: 'admin' },
  body: z.object({ name: Name.describe('The name of the project.') }),
  response: Project,
  creates: true,
  examples: [{ body: { name: 'Web tests' } }],
  errors: ['project.TOO_MANY'],
})

export const updateProject = operation({
  id: 'updateProject',
  tag: 'Projects',
  summary: 'Rename a project.',
  method: 'PATCH',
  path: `${projects}/{projectId}`,
  access: { to: 'organization', role: 'admin' },
  body: z.object({ name: Name.describe('The new name of the project.') }),
  response: Project,
  examples: [{ body: { name: 'Mobile tests' } }],
  addition: true,
  errors: ['project.NOT_FOUND'],
})

export const deleteProject = operation({
  id: 'deleteProject',
  tag: 'Projects',
  summary: 'Delete a project that has no sandboxes. The default project cannot be deleted.',
  method: 'DELETE',
  path: `${projects}/{projectId}`,
  access: { to: 'organization', role: 'admin' },
  errors: ['project.NOT_FOUND', 'project.DEFAULT', 'project.NOT_EMPTY'],
})
