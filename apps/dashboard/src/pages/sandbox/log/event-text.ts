import type { LoggedEvent } from '@sandglass/protocol'
import { exactTime } from '../../../ui/times.tsx'

const states: Readonly<Record<string, string>> = {
  started: 'The sandbox has started',
  restarting: 'The sandbox is being restarted',
  paused: 'The sandbox was paused',
  resumed: 'The sandbox was resumed',
  waking: 'The sandbox is being woken',
  hibernated: 'The sandbox was hibernated',
  failed: 'The sandbox has failed',
  stopped: 'The sandbox has stopped',
  killed: 'The sandbox was killed',
  'out-of-memory': 'The sandbox ran out of memory',
  'engine-lost': 'The engine of the sandbox cannot be reached',
  'member-lost': 'The cluster member that has the sandbox is gone',
  'node-lost': 'The node of the sandbox cannot be reached',
  'node-returned': 'The node of the sandbox is back',
}

const endings: Readonly<Record<string, string>> = {
  deleted: 'The sandbox was deleted',
  expired: 'The sandbox ended, because its time was up',
  idle: 'The sandbox ended, because nobody used it',
  'not-woken': 'The sandbox ended, because nobody resumed it',
  replaced: 'The sandbox ended, because another replaced it',
  'mcp-server-deleted': 'The sandbox ended with its MCP server',
}

type Data = LoggedEvent['data']
type Text = (data: Data) => string

const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
const withMessage = (sentence: string, { message }: Data) =>
  text(message) === '' ? sentence : `${sentence}: ${text(message)}`
const until = ({ expiresAt }: Data) => (typeof expiresAt === 'string' ? exactTime(expiresAt) : 'a later time')

const texts: Partial<Record<LoggedEvent['type'], Text>> = {
  'sandbox.created': ({ name }) => `The sandbox ${text(name)} was created`,
  'sandbox.updated': ({ name }) => `Name and labels were changed; the name is ${text(name)}`,
  'sandbox.state.updated': ({ reason, to }) => states[text(reason)] ?? `The state is ${text(to)}`,
  'sandbox.extended': data => `The end was moved to ${until(data)}`,
  'sandbox.expiring': data => `The sandbox ends at ${until(data)}`,
  'sandbox.deleted': ({ reason }) => endings[text(reason)] ?? 'The sandbox has ended',
  'sandbox.control.requested': data => withMessage('A person is needed', data),
  'sandbox.control.taken': data => withMessage(`${text(data['by']) || 'A person'} took control`, data),
  'sandbox.control.returned': data => withMessage('The agent has control again', data),
  'snapshot.created': ({ name }) => `The snapshot ${text(name)} is being taken`,
  'snapshot.ready': () => 'A snapshot was taken',
  'snapshot.failed': () => 'A snapshot could not be taken',
  'snapshot.deleted': () => 'A snapshot was deleted',
  'shell.exited': ({ exitCode }) => `A shell ended with ${text(exitCode)}`,
  'port.opened': ({ port }) => `Port ${text(port)} accepts connections`,
  'mapping.created': ({ targetEndpoint }) => `Port ${text(targetEndpoint)} was mapped`,
  'mapping.deleted': ({ targetEndpoint }) => `Port ${text(targetEndpoint)} is not mapped any more`,
}

/** What an event means, for people. */
export function eventText({ type, data }: Pick<LoggedEvent, 'type' | 'data'>): string {
  return texts[type]?.(data) ?? type
}
