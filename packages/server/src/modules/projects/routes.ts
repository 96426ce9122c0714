import * as protocol from '@sandglass/protocol'
import type { Prepared } from '../../db/database.ts'
import { FreshReads } from '../../db/fresh-reads.ts'
import type { Api } from '../../http/api.ts'
import { createProject, deleteProject, renameProject } from './service.ts'
import { selectProjects } from './store.ts'

export function serveProjects(api: Api, prepared: Prepared): void {
  const reads = new FreshReads<protocol.Project[]>()

  api.serve(protocol.listProjects, ({ params: { orgId } }) =>
    reads.read(orgId, () => selectProjects(prepared, orgId)),
  )

  api.serve(protocol.createProject, ({ params, body, change }) =>
    change(async tx => {
      const project = await createProject(tx, params.orgId, body.name)
      return { answer: project, target: project.id }
    }),
  )

  api.serve(protocol.updateProject, ({ params, body, change }) =>
    change(async tx => {
      const project = await renameProject(tx, params.orgId, params.projectId, body.name)
      return { answer: project, target: project.id }
    }),
  )

  api.serve(protocol.deleteProject, ({ params, change }) =>
    change(async tx => {
      await deleteProject(tx, params.orgId, params.projectId)
      return { answer: undefined, target: params.projectId }
    }),
  )
}
