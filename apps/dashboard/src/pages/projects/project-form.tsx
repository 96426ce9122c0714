import type { Project } from '@sandglass/protocol'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../app/calls.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormEnd } from '../../ui/form-end.tsx'
import { Input } from '../../ui/input.tsx'
import { problemsOf } from '../../ui/problems.ts'

/** Makes a project, or gives one another name. */
export function ProjectForm({ project, onClose }: { project?: Project; onClose: () => void }) {
  const [name, setName] = useState(project?.name ?? '')
  const create = useChange('createProject', ['listProjects'])
  const update = useChange('updateProject', ['listProjects'])
  const change = project ? update : create
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (project) update.mutate({ projectId: project.id, body: { name } }, { onSuccess: onClose })
    else create.mutate({ body: { name } }, { onSuccess: onClose })
  }
  return (
    <Dialog title={project ? `Rename ${project.name}` : 'New project'} isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Name" problem={problemsOf(change.error)['name']}>
          <Input value={name} onChange={event => setName(event.target.value)} />
        </Field>
        <FormEnd action={project ? 'Rename' : 'Create'} change={change} onClose={onClose} />
      </form>
    </Dialog>
  )
}
