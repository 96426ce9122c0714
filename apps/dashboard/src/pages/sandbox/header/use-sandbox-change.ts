import { useChange } from '../../../app/calls.ts'
import { messageOf } from '../../../ui/problems.ts'
import { toast } from '../../../ui/toasts.tsx'

type Id = 'pauseSandbox' | 'resumeSandbox' | 'hibernateSandbox' | 'restartSandbox'

/** A change of a sandbox that needs no answers. What goes wrong is said at the edge of the page. */
export function useSandboxChange(id: Id) {
  const change = useChange(id, ['getSandbox', 'listSandboxes'])
  return {
    isPending: change.isPending,
    mutate: (input: { readonly sandboxId: string }) =>
      change.mutate(input, { onError: error => toast(messageOf(error), { isProblem: true }) }),
  }
}
