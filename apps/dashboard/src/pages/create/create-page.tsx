import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useCall, useChange } from '../../app/calls.ts'
import { usePerson } from '../../app/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Input, Select, TextArea } from '../../ui/input.tsx'
import { ErrorNote } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { problemsOf } from '../../ui/problems.ts'
import { type Choices, firstChoices, requestOf } from './choices.ts'
import { Commands } from './commands.tsx'
import { EgressFields } from './egress-fields.tsx'
import { Lifetimes } from './lifetimes.tsx'
import { Quota } from './quota.tsx'
import { ShapePicker } from './shape-picker.tsx'

/** A form for a new sandbox, next to the commands that do the same. */
export function CreatePage() {
  const { image: imageId = '' } = useSearch({ from: '/signed-in/sandboxes/new' })
  const [choices, setChoices] = useState<Choices>({ ...firstChoices, imageId })
  const isTrial = usePerson().kind === 'trialToken'
  const shapes = useQuery(useCall('listShapes'))
  const images = useQuery({ ...useCall('listMachineImages', { scope: 'all' }), enabled: !isTrial })
  const projects = useQuery(useCall('listProjects'))
  const set = (change: Partial<Choices>) => setChoices(before => ({ ...before, ...change }))
  const shapeName = choices.shapeName || (shapes.data?.[0]?.name ?? '')
  const chosen = { ...choices, shapeName }
  const { create, isPending, error } = useCreate()
  const problems = problemsOf(error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create(chosen)
  }
  return (
    <Page title="New sandbox">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Panel className="flex flex-col gap-4">
            {shapes.error && <ErrorNote error={shapes.error} />}
            <ShapePicker
              shapes={shapes.data ?? []}
              chosen={shapeName}
              isFixed={choices.imageId !== ''}
              onChoose={name => set({ shapeName: name })}
            />
            {!isTrial && (
              <Field
                label="Image"
                hint="A saved disk to begin with. Its shape is that of the sandbox that was saved."
                problem={problems['imageId']}
              >
                <Select value={choices.imageId} onChange={event => set({ imageId: event.target.value })}>
                  <option value="">The usual desktop</option>
                  {(images.data?.images ?? [])
                    .filter(({ status }) => status === 'READY')
                    .map(({ id, name, shapeName: shape }) => (
                      <option key={id} value={id}>
                        {name} ({shape})
                      </option>
                    ))}
                </Select>
              </Field>
            )}
            <Field label="Name" problem={problems['name']}>
              <Input value={choices.name} onChange={event => set({ name: event.target.value })} />
            </Field>
            <Lifetimes choices={choices} problem={problems['maxLifeSeconds']} onChange={set} />
            {(projects.data?.length ?? 0) > 1 && (
              <Field label="Project" problem={problems['projectId']}>
                <Select value={choices.projectId} onChange={event => set({ projectId: event.target.value })}>
                  {projects.data?.map(({ id, name, defaultProject }) => (
                    <option key={id} value={defaultProject ? '' : id}>
                      {name}
                    </option>
                  ))}
                </Select>
              </Field>
            )}
          </Panel>
          <Panel className="flex flex-col gap-4">
            <EgressFields choices={choices} problems={problems} onChange={set} />
            <Field
              label="Labels"
              hint="One name=value per line. They help to find sandboxes again."
              problem={firstOf(problems, 'labels')}
            >
              <TextArea
                rows={2}
                value={choices.labels}
                placeholder="team=web"
                onChange={event => set({ labels: event.target.value })}
              />
            </Field>
            <Field
              label="Environment"
              hint="One NAME=value per line, for the desktop and every process in it."
              problem={firstOf(problems, 'env')}
            >
              <TextArea
                rows={2}
                value={choices.env}
                placeholder="LANG=C.UTF-8"
                className="font-mono"
                onChange={event => set({ env: event.target.value })}
              />
            </Field>
          </Panel>
          {error && Object.keys(problems).length === 0 && <ErrorNote error={error} />}
          {!isTrial && <Quota />}
          <div className="flex gap-2">
            <Button type="submit" look="primary" disabled={isPending || (!shapeName && !choices.imageId)}>
              {isPending ? 'Creating…' : 'Create sandbox'}
            </Button>
          </div>
        </form>
        <Commands choices={chosen} />
      </div>
    </Page>
  )
}

function useCreate() {
  const navigate = useNavigate()
  const fromShape = useChange('createSandbox', ['listSandboxes', 'getLimits'])
  const fromImage = useChange('createSandboxFromImage', ['listSandboxes', 'getLimits'])
  const open = (sandboxId: string) => void navigate({ to: '/sandboxes/$sandboxId', params: { sandboxId } })
  const create = (choices: Choices) => {
    fromShape.reset()
    fromImage.reset()
    const { imageId, ...body } = requestOf(choices)
    if (imageId)
      fromImage.mutate(
        { body: { ...body, imageId, name: body.name ?? 'sandbox' } },
        { onSuccess: ({ sandbox }) => open(sandbox.id) },
      )
    else
      fromShape.mutate(
        { body: { ...body, shapeName: choices.shapeName } },
        { onSuccess: ({ id }) => open(id) },
      )
  }
  return {
    create,
    isPending: fromShape.isPending || fromImage.isPending,
    error: fromShape.error ?? fromImage.error,
  }
}

/** What is wrong with a field or with a part of it. */
function firstOf(problems: Readonly<Record<string, string>>, field: string): string | undefined {
  const [path, message] =
    Object.entries(problems).find(([at]) => at === field || at.startsWith(`${field}.`)) ?? []
  return path === field || path === undefined ? message : `${path.slice(field.length + 1)} ${message}`
}
