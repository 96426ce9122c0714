import type { ApiKey } from '@sandglass/protocol'
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
import { Table } from '../../ui/table.tsx'
import { When } from '../../ui/times.tsx'
import { EditKey } from './edit-key.tsx'
import { NewKey } from './new-key.tsx'
import { RotateKey } from './rotate-key.tsx'

type Task = { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly key: ApiKey } | { readonly kind: 'new' }

export function ApiKeys() {
  const { data, error } = useQuery(useCall('listApiKeys'))
  const [task, setTask] = useState<Task>()
  const [secret, setSecret] = useState<string>()
  const revoke = useChange('revokeApiKey', ['listApiKeys'])
  const close = () => setTask(undefined)
  const show = (apiKey: string | undefined) => {
    close()
    setSecret(apiKey)
  }
  if (error) return <ErrorNote error={error} />
  if (!data) return <Loading />
  return (
    <div className="flex flex-col gap-3">
      <div className="flex justify-end">
        <Button look="primary" onClick={() => setTask({ kind: 'new' })}>
          <Plus />
          New key
        </Button>
      </div>
      <Table
        label="API keys"
        rows={data}
        idOf={({ id }) => id}
        columns={[
          { title: 'Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
          { title: 'Key', isExtra: true, cell: ({ prefix }) => <code>{prefix}…</code> },
          { title: 'Role', cell: ({ role }) => <Badge look="accent">{role}</Badge> },
          { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <When at={lastUsedAt} /> : 'never') },
          {
            title: 'Expires',
            isExtra: true,
            cell: ({ expiresAt }) => (expiresAt ? <When at={expiresAt} /> : 'never'),
          },
          {
            title: 'Actions',
            cell: key => (
              <Menu
                trigger={
                  <IconButton label={`Actions for ${key.name}`} size="small">
                    <MoreHorizontal />
                  </IconButton>
                }
              >
                <MenuItem onSelect={() => setTask({ kind: 'edit', key })}>Change</MenuItem>
                <MenuItem onSelect={() => setTask({ kind: 'rotate', key })}>Rotate</MenuItem>
                <MenuLine />
                <MenuItem isDanger onSelect={() => setTask({ kind: 'revoke', key })}>
                  Revoke
                </MenuItem>
              </Menu>
            ),
          },
        ]}
      />
      {task?.kind === 'new' && <NewKey onClose={close} onCreated={show} />}
      {task?.kind === 'edit' && <EditKey apiKey={task.key} onClose={close} />}
      {task?.kind === 'rotate' && <RotateKey apiKey={task.key} onClose={close} onRotated={show} />}
      {task?.kind === 'revoke' && (
        <Confirm
          title={`Revoke ${task.key.name}?`}
          about="Programs that use this key, and people who are signed in with it, are refused from now on."
          action="Revoke"
          isOpen
          isBusy={revoke.isPending}
          error={revoke.error}
          onClose={close}
          onConfirm={() => revoke.mutate({ keyId: task.key.id }, { onSuccess: close })}
        />
      )}
      <OnceShown title="The new key" secret={secret} onClose={() => setSecret(undefined)} />
    </div>
  )
}
