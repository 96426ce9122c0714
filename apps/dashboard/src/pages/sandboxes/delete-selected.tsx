import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { readAgain } from '../../app/calls.ts'
import { clientOf } from '../../app/client.ts'
import { useOrgId } from '../../app/session.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { messageOf } from '../../ui/problems.ts'
import { toast } from '../../ui/toasts.tsx'
import type { Selection } from './selection.ts'

/** Deletes all sandboxes that are ticked, after a question. */
export function DeleteSelected({ selection }: { selection: Selection }) {
  const [isAsking, setAsking] = useState(false)
  const orgId = useOrgId()
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: async (ids: readonly string[]) => {
      const results = await Promise.allSettled(
        ids.map(sandboxId => clientOf(orgId).deleteSandbox({ sandboxId })),
      )
      const failed = results.filter(({ status }) => status === 'rejected')
      const [first] = failed as PromiseRejectedResult[]
      if (first)
        throw new Error(`${failed.length} of ${ids.length} were not deleted: ${messageOf(first.reason)}`)
      return ids.length
    },
    onSuccess: count => {
      toast(count === 1 ? 'Deleted one sandbox.' : `Deleted ${count} sandboxes.`)
      selection.clear()
      setAsking(false)
    },
    onSettled: () => readAgain(queries, ['listSandboxes']),
  })
  const count = selection.ids.length
  if (count === 0 && !isAsking) return null
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        <Trash2 />
        Delete {count}
      </Button>
      <Confirm
        title={count === 1 ? 'Delete this sandbox?' : `Delete ${count} sandboxes?`}
        about="Everything in them is lost, except snapshots, images and volumes."
        action="Delete"
        isOpen={isAsking}
        isBusy={remove.isPending}
        error={remove.error}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.mutate(selection.ids)}
      />
    </>
  )
}
