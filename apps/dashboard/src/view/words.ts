import type { LiveLease, LiveViewers } from '@sandglass/live'

/** Who is in control. */
export function whoHolds({ holder, isMine }: LiveLease): string {
  if (isMine) return 'You are in control'
  if (holder.kind === 'agent') return 'The agent is in control'
  return holder.kind === 'nobody'
    ? 'Waiting for a person to take control'
    : `${holder.name || 'Someone'} is in control`
}

/** What is said to a person who was in control and no longer is. */
export function controlLost({ holder }: LiveLease): string {
  return holder.kind === 'person'
    ? `${holder.name || 'Someone'} took control.`
    : 'You are no longer in control. The agent continues.'
}

/** Everybody else who watches, one per line. */
export function watchersOf({ count, others }: LiveViewers): string[] {
  const named = others.map(name => name || 'Someone without a name')
  const unnamed = count - 1 - others.length
  return unnamed > 0 ? [...named, `and ${unnamed} more`] : named
}

/** How to give the keyboard back to the page. */
export function leaveKeys(): string {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? 'Control+Option+Shift' : 'Ctrl+Alt+Shift'
}

/** Minutes and seconds, such as 4:09. */
export function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
