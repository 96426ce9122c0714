import type { Sandbox } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { Eye } from 'lucide-react'
import { useCall } from '../../../app/calls.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Tip } from '../../../ui/tip.tsx'

const everyMs = 10_000

/** How many people watch, with their names. */
export function Viewers({ sandbox: { id: sandboxId, status } }: { sandbox: Sandbox }) {
  const { data: viewers = [] } = useQuery({
    ...useCall('listSandboxViewers', { sandboxId }),
    enabled: status === 'RUNNING',
    refetchInterval: everyMs,
  })
  if (viewers.length === 0) return undefined
  return (
    <Tip text={viewers.map(({ name }) => name || 'Somebody').join(', ')}>
      <Badge>
        <Eye className="size-3" aria-hidden="true" />
        {viewers.length} watching
      </Badge>
    </Tip>
  )
}
