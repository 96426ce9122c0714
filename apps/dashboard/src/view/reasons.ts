/** Words for people who are not programmers: the service's own messages name operations and settings. */
interface Reason {
  readonly title: string
  readonly detail?: string
}

const newLink = 'Ask the person who invited you for a new link.'

const endings: Readonly<Record<string, Reason>> = {
  'live.TOKEN_EXPIRED': { title: 'Your access has expired', detail: newLink },
  'live.TOKEN_REVOKED': { title: 'Your access was revoked', detail: newLink },
  'live.TOKEN_INVALID': { title: 'This link does not work', detail: newLink },
  'live.CLOSED': { title: 'The view was closed' },
}

/** Why the view has ended for good. `at` is the moment at which the page learned of it. */
export function endingOf(code: string, at: Date): Reason {
  if (code !== 'live.ROOM_GONE') return endings[code] ?? { title: 'The view has ended', detail: newLink }
  const time = at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  return { title: `This sandbox ended at ${time}`, detail: newLink }
}

const interruptions: Readonly<Record<string, string>> = {
  'live.FULL': 'Too many people are watching. You will be let in when somebody leaves.',
  'live.CLOSING': 'The service is restarting.',
  'live.STALLED': 'Your connection was too slow or was interrupted.',
}

/** Why the view is connecting again. */
export function interruptionOf(code: string): string {
  return interruptions[code] ?? 'The connection was lost.'
}

/** Why an invitation could not be opened, by the status of the service's response. */
export function invitationProblem(status: number): string {
  if (status === 404)
    return `The invitation has expired or was revoked, or the link is incomplete. ${newLink}`
  return 'The service cannot open it right now. Try again in a moment.'
}
