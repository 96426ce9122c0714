import type { Sandbox } from '@sandglass/protocol'
import { Badge } from '../ui/badge.tsx'

type Look = 'good' | 'warn' | 'wrong' | 'info' | 'quiet'

/** The state of a sandbox in words. */
export interface SandboxState {
  readonly title: string
  readonly look: Look
  /** Why it is so, if there is more to say. */
  readonly detail?: string | undefined
}

const endings = {
  deleted: 'It was deleted.',
  expired: 'Its time was up.',
  idle: 'Nobody used it for too long.',
  'not-woken': 'It was paused, and nobody resumed it in time.',
  replaced: 'Another sandbox of its MCP server replaced it.',
  'mcp-server-deleted': 'Its MCP server was deleted.',
} as const

export function stateOf(sandbox: Sandbox): SandboxState {
  const { status, paused, hibernated, reason, problem, ended } = sandbox
  if (ended) return { title: 'Ended', look: 'quiet', detail: endings[ended.reason] }
  if (status === 'PENDING') return { title: 'Starting', look: 'info', detail: reason }
  if (status === 'ERROR') return { title: 'Failed', look: 'wrong', detail: reason }
  if (hibernated) return { title: 'Hibernated', look: 'quiet', detail: 'Its files are kept.' }
  if (paused) return { title: 'Paused', look: 'quiet', detail: 'Its programs and files are kept.' }
  if (status === 'STOPPED') return { title: 'Stopped', look: 'warn', detail: reason }
  if (problem)
    return { title: 'Not reachable', look: 'warn', detail: `${problem.component}: ${problem.reason}` }
  return { title: 'Running', look: 'good' }
}

export function StateBadge({ sandbox }: { sandbox: Sandbox }) {
  const { title, look } = stateOf(sandbox)
  return <Badge look={look}>{title}</Badge>
}
