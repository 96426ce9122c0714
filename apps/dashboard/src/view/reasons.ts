import type { LiveSandbox } from '@sandglass/live'

/** Words for people who are not programmers: the service's own messages name operations and settings. */
export interface Reason {
  readonly title: string
  readonly detail?: string
  readonly isBusy?: boolean
}

const newLink = 'Ask the person who invited you for a new link.'

const endings: Readonly<Record<string, Reason>> = {
  'live.TOKEN_EXPIRED': { title: 'Your access has expired', detail: newLink },
  'live.TOKEN_REVOKED': { title: 'Your access was revoked', detail: newLink },
  'live.TOKEN_INVALID': { title: 'This link does not work', detail: newLink },
  'live.CLOSED': { title: 'The view was closed' },
}

/** Access ends with the sandbox, and up to this much before it, because tokens know whole seconds only. */
const togetherMs = 3000

/** Why the view has ended for good. `at` is the moment at which the page learned of it. */
export function endingOf(
  { code, message }: { readonly code: string; readonly message: string },
  at: Date,
  sandbox: LiveSandbox | undefined,
): Reason {
  const hasExpired = sandbox !== undefined && at.getTime() > sandbox.endsAt.getTime() - togetherMs
  if (code === 'live.TOKEN_EXPIRED' && hasExpired) return ended('This sandbox has expired', sandbox.endsAt)
  if (code === 'live.ROOM_GONE') return ended(message.replace(/\.$/, ''), at)
  return endings[code] ?? { title: 'The view has ended', detail: newLink }
}

function ended(title: string, at: Date): Reason {
  const time = at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  return { title, detail: `It ended at ${time}. Its screen can no longer be shown.` }
}

const interruptions: Readonly<Record<string, Reason>> = {
  'live.FULL': {
    title: 'Too many people are watching',
    detail: 'You will be let in when somebody leaves.',
  },
  'live.CLOSING': { title: 'Reconnecting', detail: 'The service is restarting.' },
  'live.STALLED': { title: 'Reconnecting', detail: 'Your connection was too slow or was interrupted.' },
  'node.GONE': {
    title: 'This sandbox is offline',
    detail: 'The computer that runs it cannot be reached. The screen returns as soon as it can.',
  },
}

/** Why the view is connecting again. */
export function interruptionOf(code: string): Reason {
  if (!navigator.onLine)
    return { title: 'You are offline', detail: 'The screen returns when your device has a connection.' }
  return interruptions[code] ?? { title: 'Reconnecting', detail: 'The connection was lost.' }
}

const resumes = 'Its screen returns when it is resumed.'

/** Why there is no machine, by the state of the sandbox. */
const absences: Readonly<Record<LiveSandbox['status'], Reason>> = {
  starting: {
    title: 'This sandbox is starting',
    detail: 'Its screen appears as soon as it is ready.',
    isBusy: true,
  },
  running: {
    title: 'The machine is restarting',
    detail: 'Its screen returns as soon as it is ready.',
    isBusy: true,
  },
  paused: { title: 'This sandbox is paused', detail: resumes },
  hibernated: { title: 'This sandbox is hibernated', detail: resumes },
  stopped: { title: 'This sandbox is stopped', detail: 'Its machine is switched off.' },
  failed: { title: 'This sandbox has failed', detail: 'Its machine does not work any more.' },
  offline: {
    title: 'This sandbox is offline',
    detail: 'The computer that runs it cannot be reached. The screen returns as soon as it can.',
    isBusy: true,
  },
}

export function absenceOf(sandbox: LiveSandbox | undefined): Reason {
  return absences[sandbox?.status ?? 'running']
}

/** Why an invitation could not be opened, by the status of the service's response. */
export function invitationProblem(status: number): string {
  if (status === 404)
    return `The invitation has expired or was revoked, its sandbox has ended, or the link is incomplete. ${newLink}`
  return 'The service cannot open it right now. Try again in a moment.'
}
