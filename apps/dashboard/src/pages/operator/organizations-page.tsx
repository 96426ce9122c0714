import type { Organization } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { MoreHorizontal, Plus } from 'lucide-react'
import { useState } from 'react'
import { useCall, useChange } from '../../app/calls.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { ErrorNote, Loading } from '../../ui/notes.tsx'
import { OnceShown } from '../../ui/once-shown.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { When } from '../../ui/times.tsx'
import { OrganizationForm } from './organization-form.tsx'
import { Plans } from './plans.tsx'

type Task =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit' | 'delete' | 'key'; readonly organization: Organization }

/** The tenants of the service, and the plans that limit them. */
export function OrganizationsPage() {
  const { data, error } = useQuery(useCall('listOrganizations'))
  const [task, setTask] = useState<Task>()
  const [secret, setSecret] = useState<string>()
  const remove = useChange('deleteOrganization', ['listOrganizations'])
  const ownerKey = useChange('createOwnerKey')
  const close = () => setTask(undefined)
  const show = (key: string | undefined) => {
    close()
    setSecret(key)
  }
  return (
    <Page
      title="Organizations"
      actions={
        <Button look="primary" onClick={() => setTask({ kind: 'new' })}>
          <Plus />
          New organization
        </Button>
      }
    >
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data && (
        <Table
          label="Organizations"
          rows={data}
          idOf={({ id }) => id}
          columns={[
            {
              title: 'Name',
              cell: ({ name, id }) => (
                <>
                  <span className="font-medium">{name}</span>
                  <code className="block text-[13px] text-quiet">{id}</code>
                </>
              ),
            },
            { title: 'Plan', cell: ({ plan }) => <Badge look="accent">{plan}</Badge> },
            { title: 'Feature flags', isExtra: true, cell: ({ featureFlags }) => featureFlags.join(', ') },
            { title: 'Created', isExtra: true, cell: ({ createdAt }) => <When at={createdAt} /> },
            {
              title: 'Actions',
              cell: organization => (
                <Menu
                  trigger={
                    <IconButton label={`Actions for ${organization.name}`} size="small">
                      <MoreHorizontal />
                    </IconButton>
                  }
                >
                  <MenuItem onSelect={() => setTask({ kind: 'edit', organization })}>Change</MenuItem>
                  <MenuItem onSelect={() => setTask({ kind: 'key', organization })}>New owner key</MenuItem>
                  <MenuLine />
                  <MenuItem isDanger onSelect={() => setTask({ kind: 'delete', organization })}>
                    Delete
                  </MenuItem>
                </Menu>
              ),
            },
          ]}
        />
      )}
      <Plans />
      {task?.kind === 'new' && <OrganizationForm onClose={close} onCreated={show} />}
      {task?.kind === 'edit' && (
        <OrganizationForm organization={task.organization} onClose={close} onCreated={show} />
      )}
      {task?.kind === 'key' && (
        <Confirm
          title={`A new owner key for ${task.organization.name}?`}
          about="For an organization that has lost its own. Its other keys stay."
          action="Create"
          isOpen
          isBusy={ownerKey.isPending}
          error={ownerKey.error}
          onClose={close}
          onConfirm={() =>
            ownerKey.mutate(
              { organizationId: task.organization.id },
              { onSuccess: ({ apiKey }) => show(apiKey) },
            )
          }
        />
      )}
      {task?.kind === 'delete' && (
        <Confirm
          title={`Delete ${task.organization.name}?`}
          about="Only an organization without sandboxes can be deleted. Its keys stop working."
          action="Delete"
          isOpen
          isBusy={remove.isPending}
          error={remove.error}
          onClose={close}
          onConfirm={() => remove.mutate({ organizationId: task.organization.id }, { onSuccess: close })}
        />
      )}
      <OnceShown title="The owner key" secret={secret} onClose={() => setSecret(undefined)} />
    </Page>
  )
}
