import type { Plan } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useCall, useChange } from '../../app/calls.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { ErrorNote } from '../../ui/notes.tsx'
import { Table } from '../../ui/table.tsx'
import { PlanForm } from './plan-form.tsx'

type Task = { readonly kind: 'new' } | { readonly kind: 'edit' | 'delete'; readonly plan: Plan }

export function Plans() {
  const { data, error } = useQuery(useCall('listPlans'))
  const [task, setTask] = useState<Task>()
  const remove = useChange('deletePlan', ['listPlans'])
  const close = () => setTask(undefined)
  return (
    <section aria-labelledby="plans" className="mt-4 flex flex-col gap-3">
      <div className="flex items-center justify-between gap-2">
        <h2 id="plans" className="text-lg font-semibold">
          Plans
        </h2>
        <Button onClick={() => setTask({ kind: 'new' })}>
          <Plus />
          New plan
        </Button>
      </div>
      {error && <ErrorNote error={error} />}
      {data && (
        <Table
          label="Plans"
          rows={data}
          idOf={({ name }) => name}
          columns={[
            { title: 'Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
            { title: 'Tier', isNumber: true, cell: ({ tier }) => tier },
            {
              title: 'Sandboxes',
              isNumber: true,
              cell: ({ concurrentSandboxes }) => concurrentSandboxes ?? '∞',
            },
            {
              title: 'Images',
              isNumber: true,
              isExtra: true,
              cell: ({ machineImages }) => machineImages ?? '∞',
            },
            { title: 'Snapshots', isNumber: true, isExtra: true, cell: ({ snapshots }) => snapshots ?? '∞' },
            { title: 'Volumes', isNumber: true, isExtra: true, cell: ({ volumes }) => volumes ?? '∞' },
            {
              title: 'Actions',
              cell: plan => (
                <div className="flex gap-1">
                  <Button size="small" onClick={() => setTask({ kind: 'edit', plan })}>
                    Change
                  </Button>
                  <Button size="small" look="danger" onClick={() => setTask({ kind: 'delete', plan })}>
                    Delete
                  </Button>
                </div>
              ),
            },
          ]}
        />
      )}
      {task?.kind === 'new' && <PlanForm onClose={close} />}
      {task?.kind === 'edit' && <PlanForm plan={task.plan} onClose={close} />}
      {task?.kind === 'delete' && (
        <Confirm
          title={`Delete the plan ${task.plan.name}?`}
          about="Only a plan that no organization has can be deleted."
          action="Delete"
          isOpen
          isBusy={remove.isPending}
          error={remove.error}
          onClose={close}
          onConfirm={() => remove.mutate({ planName: task.plan.name }, { onSuccess: close })}
        />
      )}
    </section>
  )
}
