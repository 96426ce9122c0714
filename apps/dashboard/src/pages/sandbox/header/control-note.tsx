import type { Sandbox } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { Eye, Hand } from 'lucide-react'
import { useCall } from '../../../app/calls.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Tip } from '../../../ui/tip.tsx'

const everyMs = 10_000

/** Who is in control, whether a person is needed, and how many people watch. */
export function ControlNote({ sandbox: { id: sandboxId, control, status } }: { sandbox: Sandbox }) {
  const { data: viewers = [] } = useQuery({
    ...useCall('listSandboxViewers', { sandboxId }),
    enabled: status === 'RUNNING',
    refetchInterval: everyMs,
  })
  const person = viewers.find(({ isInControl }) => isInControl)
  return (
    <>
      {control === 'user' && !person && (
        <Badge look="warn">
          <Hand className="size-3" aria-hidden="true" />A person is needed
        </Badge>
      )}
      {control === 'user' && person && <Badge look="accent">{person.name || 'A person'} is in control</Badge>}
      {control === 'agent' && status === 'RUNNING' && <Badge>The agent is in control</Badge>}
      {viewers.length > 0 && (
        <Tip text={viewers.map(({ name }) => name || 'Somebody').join(', ')}>
          <Badge>
            <Eye className="size-3" aria-hidden="true" />
            {viewers.length} watching
          </Badge>
        </Tip>
      )}
    </>
  )
}
