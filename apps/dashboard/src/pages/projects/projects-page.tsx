import type { Project } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useCall, useChange } from '../../app/calls.ts'
import { useMay } from '../../app/rights.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { ErrorNote, Loading } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { When } from '../../ui/times.tsx'
import { ProjectForm } from './project-form.tsx'

type Task = { readonly kind: 'new' } | { readonly kind: 'rename' | 'delete'; readonly project: Project }

export function ProjectsPage() {
  const { data, error } = useQuery(useCall('listProjects'))
  const sandboxes = useQuery(useCall('listSandboxes', {}))
  const [task, setTask] = useState<Task>()
  const remove = useChange('deleteProject', ['listProjects'])
  const mayChange = useMay('admin')
  const close = () => setTask(undefined)
  const countOf = (id: string) => (sandboxes.data ?? []).filter(({ projectId }) => projectId === id).length
  return (
    <Page
      title="Projects"
      about="Sandboxes and MCP servers belong to a project, and usage is counted by it."
      actions={
        mayChange && (
          <Button look="primary" onClick={() => setTask({ kind: 'new' })}>
            <Plus />
            New project
          </Button>
        )
      }
    >
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data && (
        <Table
          label="Projects"
          rows={data}
          idOf={({ id }) => id}
          columns={[
            {
              title: 'Name',
              cell: ({ name, defaultProject }) => (
                <span className="font-medium">
                  {name} {defaultProject && <Badge>default</Badge>}
                </span>
              ),
            },
            { title: 'Sandboxes', isNumber: true, cell: ({ id }) => countOf(id) },
            { title: 'Created', isExtra: true, cell: ({ createdAt }) => <When at={createdAt} /> },
            {
              title: 'Actions',
              cell: project =>
                mayChange && (
                  <div className="flex gap-1">
                    <Button size="small" onClick={() => setTask({ kind: 'rename', project })}>
                      Rename
                    </Button>
                    {!project.defaultProject && (
                      <Button look="danger" size="small" onClick={() => setTask({ kind: 'delete', project })}>
                        Delete
                      </Button>
                    )}
                  </div>
                ),
            },
          ]}
        />
      )}
      {task?.kind === 'new' && <ProjectForm onClose={close} />}
      {task?.kind === 'rename' && <ProjectForm project={task.project} onClose={close} />}
      {task?.kind === 'delete' && (
        <Confirm
          title={`Delete ${task.project.name}?`}
          about="Only a project without sandboxes and MCP servers can be deleted."
          action="Delete"
          isOpen
          isBusy={remove.isPending}
          error={remove.error}
          onClose={close}
          onConfirm={() => remove.mutate({ projectId: task.project.id }, { onSuccess: close })}
        />
      )}
    </Page>
  )
}
