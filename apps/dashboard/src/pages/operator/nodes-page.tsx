import type { ServiceNode } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useCall, useChange } from '../../app/calls.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { ErrorNote, Loading } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Table } from '../../ui/table.tsx'
import { When } from '../../ui/times.tsx'
import { Members } from './members.tsx'
import { Resources } from './resources.tsx'

type Task = { readonly kind: 'drain' | 'remove'; readonly node: ServiceNode }

const looks = { alive: 'good', draining: 'warn', lost: 'wrong' } as const

/** The processes of the service, with what they can still make. */
export function NodesPage() {
  const { data, error } = useQuery({ ...useCall('listNodes'), refetchInterval: 3000 })
  const [task, setTask] = useState<Task>()
  const drain = useChange('drainNode', ['listNodes'])
  const undrain = useChange('undrainNode', ['listNodes'])
  const remove = useChange('removeNode', ['listNodes'])
  const close = () => setTask(undefined)
  return (
    <Page title="Nodes" about="Each is a process of the service with its own data directory.">
      {(error ?? undrain.error) && <ErrorNote error={error ?? undrain.error} />}
      {!data && !error && <Loading />}
      {data?.map(node => (
        <Panel key={node.id} aria-label={node.hostname} className="flex flex-col gap-4">
          <div className="flex flex-wrap items-center justify-between gap-3">
            <div>
              <h2 className="flex items-center gap-2 text-base font-semibold">
                {node.hostname}
                <Badge look={looks[node.state]}>{node.state}</Badge>
              </h2>
              <p className="text-[13px] text-quiet">
                Version {node.version}, started <When at={node.startedAt} />, {node.sandboxes} sandboxes
              </p>
            </div>
            <div className="flex gap-2">
              {node.state === 'alive' && (
                <Button onClick={() => setTask({ kind: 'drain', node })}>Drain</Button>
              )}
              {node.state === 'draining' && (
                <Button onClick={() => undrain.mutate({ nodeId: node.id })}>Take sandboxes again</Button>
              )}
              {node.state !== 'alive' && (
                <Button look="danger" onClick={() => setTask({ kind: 'remove', node })}>
                  Remove
                </Button>
              )}
            </div>
          </div>
          {node.resources && <Resources resources={node.resources} />}
          {node.capacity.length > 0 && (
            <Table
              label={`What ${node.hostname} can make`}
              rows={node.capacity}
              idOf={({ shapeName }) => shapeName}
              columns={[
                { title: 'Shape', cell: ({ shapeName }) => <span className="font-medium">{shapeName}</span> },
                { title: 'Engine', isExtra: true, cell: ({ engine }) => engine },
                { title: 'More fit', isNumber: true, cell: ({ free }) => free },
                { title: 'Warm', isNumber: true, cell: ({ warm }) => warm },
                { title: 'Why none', isExtra: true, cell: ({ reason }) => reason },
              ]}
            />
          )}
          {node.members && <Members hostname={node.hostname} members={node.members} />}
        </Panel>
      ))}
      {task?.kind === 'drain' && (
        <Confirm
          title={`Drain ${task.node.hostname}?`}
          about="It gets no new sandboxes, and its warm machines are destroyed. Sandboxes that it has go on."
          action="Drain"
          isOpen
          isBusy={drain.isPending}
          error={drain.error}
          onClose={close}
          onConfirm={() => drain.mutate({ nodeId: task.node.id }, { onSuccess: close })}
        />
      )}
      {task?.kind === 'remove' && (
        <Confirm
          title={`Remove ${task.node.hostname}?`}
          about="Only a node that is lost, or that is drained and has no sandboxes, can be removed."
          action="Remove"
          isOpen
          isBusy={remove.isPending}
          error={remove.error}
          onClose={close}
          onConfirm={() => remove.mutate({ nodeId: task.node.id }, { onSuccess: close })}
        />
      )}
    </Page>
  )
}
