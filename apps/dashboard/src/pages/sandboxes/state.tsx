import type { Sandbox } from '@sandglass/protocol'
import { Badge } from '../../ui/badge.tsx'
import { duration, useNow } from '../../ui/times.tsx'

type Look = 'good' | 'info' | 'quiet' | 'wrong' | 'warn'

/** The state of a sandbox in a word, and why it is so. */
export function stateOf(sandbox: Sandbox): {
  readonly word: string
  readonly look: Look
  readonly why?: string | undefined
} {
  const { status, paused, hibernated, reason, ended, problem } = sandbox
  if (ended) return { word: 'Ended', look: 'quiet', why: endings[ended.reason] }
  if (problem) return { word: 'Unreachable', look: 'warn', why: problem.reason }
  if (status === 'PENDING') return { word: 'Starting', look: 'info' }
  if (status === 'RUNNING') return { word: 'Running', look: 'good' }
  if (status === 'ERROR') return { word: 'Failed', look: 'wrong', why: reason }
  return { word: paused ? 'Paused' : hibernated ? 'Hibernated' : 'Stopped', look: 'quiet', why: reason }
}

const endings: Readonly<Record<NonNullable<Sandbox['ended']>['reason'], string>> = {
  deleted: 'It was deleted.',
  expired: 'Its time was up.',
  idle: 'It was idle for too long.',
  'not-woken': 'It was paused, and nobody woke it.',
  replaced: 'Its MCP server has another sandbox now.',
  'mcp-server-deleted': 'Its MCP server was deleted.',
}

export function StateBadge({ sandbox }: { sandbox: Sandbox }) {
  const { word, look, why } = stateOf(sandbox)
  return (
    <Badge look={look} title={why}>
      {word}
    </Badge>
  )
}

/** How long a sandbox still lives. */
export function TimeLeft({ sandbox }: { sandbox: Sandbox }) {
  const now = useNow()
  if (sandbox.ended) return null
  const seconds = (Date.parse(sandbox.expiresAt) - now) / 1000
  return (
    <span
      className={seconds < 120 ? 'text-warn' : undefined}
      title={`Ends ${new Date(sandbox.expiresAt).toLocaleString()}`}
    >
      {seconds > 0 ? `${duration(seconds)} left` : 'ending'}
    </span>
  )
}

/** Who is in control, if it is not the agent. */
export function ControlBadge({ sandbox: { control, controlledBy, personNeeded } }: { sandbox: Sandbox }) {
  if (personNeeded) return <Badge look="warn">A person is needed</Badge>
  if (control === 'user') return <Badge look="accent">{controlledBy || 'A person'} is in control</Badge>
  return null
}

export function Labels({ labels }: { labels: Sandbox['labels'] }) {
  return Object.entries(labels).map(([name, value]) => (
    <Badge key={name} className="max-w-full truncate">
      {name}={value}
    </Badge>
  ))
}
