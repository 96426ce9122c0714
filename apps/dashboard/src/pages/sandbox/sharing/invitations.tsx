import { useQuery } from '@tanstack/react-query'
import { useCall, useChange } from '../../../app/calls.ts'
import { Button } from '../../../ui/button.tsx'
import { ErrorNote, Loading } from '../../../ui/notes.tsx'
import { When } from '../../../ui/times.tsx'
import { scopeText } from './scopes.ts'

/** The invitations that are valid. Revoking one closes what was opened with it. */
export function Invitations({ sandboxId }: { sandboxId: string }) {
  const { data, error } = useQuery(useCall('listLiveInvitations', { sandboxId }))
  const revoke = useChange('revokeLiveInvitation', ['listLiveInvitations', 'listSandboxViewers'])
  return (
    <section aria-labelledby="invitations" className="flex flex-col gap-2 border-t border-line pt-4">
      <h3 id="invitations" className="font-medium">
        Valid invitations
      </h3>
      {(error ?? revoke.error) && <ErrorNote error={error ?? revoke.error} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && <p className="text-quiet">There are none.</p>}
      <ul className="flex flex-col gap-2">
        {data?.map(({ id, scope, expiresAt, createdAt }) => (
          <li key={id} className="flex items-center justify-between gap-3 rounded-md border border-line p-2">
            <span className="min-w-0">
              May {scopeText(scope)}
              <span className="block text-[13px] text-quiet">
                Created <When at={createdAt} />, expires <When at={expiresAt} />
              </span>
            </span>
            <Button
              size="small"
              look="danger"
              disabled={revoke.isPending}
              onClick={() => revoke.mutate({ sandboxId, invitationId: id })}
            >
              Revoke
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
