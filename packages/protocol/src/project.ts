import { z } from 'zod'
import { operation } from './operation.ts'
import { Name } from './text.ts'
import { Time } from './time.ts'

export const Project = z
  .object({ id: z.string(), name: z.string(), createdAt: Time, defaultProject: z.boolean() })
  .meta({ id: 'Project' })
export type Project = z.infer<typeof Project>

/** A reference to a project in a request; published clients send "" for none. */
export const ProjectReference = z
  .string()
  .max(100)
  .optional()
  .describe('Left out or "": the default project.')

const projects = '/api/orgs/{orgId}/projects'

export const listProjects = operation({
  id: 'listProjects',
  tag: 'Projects',
  summary: 'The projects of the organization.',
  method: 'GET',
  path: projects,
  access: { to: 'organization', role: 'viewer', trial: true },
  response: z.array(Project),
})

export const createProject = operation({
  id: 'createProject',
  tag: 'Projects',
  summary: 'Make a project.',
  method: 'POST',
  path: projects,
  access: { to: 'organization', role: 'admin' },
  body: z.object({ name: Name }),
  response: Project,
  creates: true,
  errors: ['project.TOO_MANY'],
})

export const deleteProject = operation({
  id: 'deleteProject',
  tag: 'Projects',
  summary: 'Delete a project that holds no sandboxes. The default project stays.',
  method: 'DELETE',
  path: `${projects}/{projectId}`,
  access: { to: 'organization', role: 'admin' },
  errors: ['project.NOT_FOUND', 'project.DEFAULT'],
})
