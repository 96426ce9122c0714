import type { TrialToken } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useCall, useChange } from '../../app/calls.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Empty, ErrorNote, Loading } from '../../ui/notes.tsx'
import { OnceShown } from '../../ui/once-shown.tsx'
import { Table } from '../../ui/table.tsx'
import { When } from '../../ui/times.tsx'
import { NewTrialToken } from './new-trial-token.tsx'

/** Tokens for visitors, who may try a few machines for a while. */
export function TrialTokens() {
  const { data, error } = useQuery(useCall('listTrialTokens'))
  const [isMaking, setMaking] = useState(false)
  const [secret, setSecret] = useState<string>()
  const [leaving, setLeaving] = useState<TrialToken>()
  const revoke = useChange('revokeTrialToken', ['listTrialTokens'])
  if (error) return <ErrorNote error={error} />
  if (!data) return <Loading />
  return (
    <div className="flex flex-col gap-3">
      <div className="flex justify-end">
        <Button look="primary" onClick={() => setMaking(true)}>
          <Plus />
          New trial token
        </Button>
      </div>
      {data.length === 0 ? (
        <Empty title="No trial tokens.">With one, a visitor can use a few machines for a limited time.</Empty>
      ) : (
        <Table
          label="Trial tokens"
          rows={data}
          idOf={({ id }) => id}
          columns={[
            { title: 'Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
            { title: 'Token', isExtra: true, cell: ({ prefix }) => <code>{prefix}…</code> },
            { title: 'Sandboxes', isNumber: true, cell: ({ sandboxQuota }) => sandboxQuota },
            { title: 'Shapes', isExtra: true, cell: ({ shapeNames }) => shapeNames.join(', ') },
            { title: 'Expires', cell: ({ expiresAt }) => <When at={expiresAt} /> },
            {
              title: 'Actions',
              cell: token => (
                <Button look="danger" size="small" onClick={() => setLeaving(token)}>
                  Revoke
                </Button>
              ),
            },
          ]}
        />
      )}
      {isMaking && (
        <NewTrialToken
          onClose={() => setMaking(false)}
          onCreated={token => {
            setMaking(false)
            setSecret(token)
          }}
        />
      )}
      {leaving && (
        <Confirm
          title={`Revoke ${leaving.name}?`}
          about="The sandboxes of this trial end with it."
          action="Revoke"
          isOpen
          isBusy={revoke.isPending}
          error={revoke.error}
          onClose={() => setLeaving(undefined)}
          onConfirm={() => revoke.mutate({ tokenId: leaving.id }, { onSuccess: () => setLeaving(undefined) })}
        />
      )}
      <OnceShown title="The new trial token" secret={secret} onClose={() => setSecret(undefined)} />
    </div>
  )
}
