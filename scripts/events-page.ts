import { type EventTypeName, eventTypes, type LoggedEvent } from '@sandglass/protocol'
import { z } from 'zod'

/** The ids in the examples, by what they name. */
const subjects: Readonly<Record<string, string>> = {
  sandbox: '8d3f1c52-7b0a-4e0e-9a51-2f6c4d8e1b01',
  image: '2e9b7d10-3c4f-4a6b-8d7e-9f0a1b2c3d02',
  key: '5a1c9e37-8d2b-4f6a-b3c4-d5e6f7a8b903',
  'MCP server': '7c4e2a19-6f5d-4b8c-a1e2-c3d4e5f6a704',
  volume: 'vol-5f2a9c1e7b3d4806',
  webhook: 'whk-3b8d6f1a2c4e5907',
  node: '9e6d4b2a-1c3f-4d5e-8a7b-0c1d2e3f4a05',
}
const orgId = '4b7e1d93-2a6c-4c8f-9e0d-1f2a3b4c5d06'

/** Returns an event of a type as docs/events.md shows it. A test compares it with one that really happened. */
export function exampleOf(type: EventTypeName, number = 1): LoggedEvent {
  const { subject, role, example } = eventTypes[type]
  return {
    id: `evt_${(0x2a1c + number).toString(16).padStart(12, '0')}${number.toString(16).padStart(12, '0')}`,
    orgId: role === null ? null : orgId,
    type,
    time: '2026-11-15T01:02:03.456Z',
    subject: subjects[subject] ?? '',
    data: example.data,
    reason: example.reason ?? null,
    actor: example.actor,
  }
}

export function eventsPage(): string {
  const names = Object.keys(eventTypes) as EventTypeName[]
  const rows = names.map(name => {
    const { about, subject, role } = eventTypes[name]
    return `| [\`${name}\`](#${anchorOf(name)}) | ${subject} | ${role ?? 'operator'} | ${about} |`
  })
  const sections = names.map((name, i) => section(name, i + 1))
  return `# Events

Whatever changes in an organization is in its event log. An event is written in the transaction of its change, so there
is exactly one for every change that was acknowledged, and none for one that was rolled back. Exceptions are
\`shell.exited\` and \`port.opened\`: they happen inside a machine, and are missing if the service is killed at that moment.

## Read the log
\`GET /api/orgs/{orgId}/events\` returns \`{events, nextCursor}\`, oldest first. All parameters are optional:

| parameter | meaning |
|---|---|
| \`types\` | types separated by commas; \`sandbox.*\` stands for all that begin with \`sandbox.\` |
| \`subject\` | the id of the resource that it happened to |
| \`since\`, \`before\` | times, such as \`2026-11-15T01:02:03Z\` |
| \`order\` | \`oldest\` or \`newest\`: which come first |
| \`limit\` | 100 by default, at most 1000 |
| \`cursor\` | the id of an event, after which to go on: \`nextCursor\`, or the id of the last event that you have handled |

\`GET /api/orgs/{orgId}/sandboxes/{sandboxId}/events\` returns what happened to one sandbox and inside it, also after it
has ended. \`GET /api/operator/events\` is for the operator: the events of nodes, and those of all organizations.

## Follow the log
With \`Accept: text/event-stream\`, the same paths send server-sent events until you disconnect: first those after
\`Last-Event-ID\` or \`cursor\`, or from \`since\` on, and then each new one, within milliseconds. Without any of these, a
stream begins with the next event. Browsers and most libraries connect again by themselves and send \`Last-Event-ID\`.

\`\`\`sh
. data/env
curl -N "$SANDGLASS_URL/api/orgs/$SANDGLASS_ORG/events?types=sandbox.*" -H "X-Api-Key: $SANDGLASS_API_KEY" -H 'Accept: text/event-stream'
\`\`\`

- **Once and in order.** Ids are positions in the log, and a greater id is a later event. Whoever goes on after the last
  id that it has handled receives every event once and in the same order, on whichever process and however long it was
  away, within SANDGLASS_EVENT_DAYS. After that, the answer is \`event.CURSOR_EXPIRED\`.
- **Slowly, if you like.** Nothing is queued for a reader. One that falls behind reads from the database.
- **Silence.** Every 15 seconds without an event there is a comment, with the id up to which the log was read.
- **The end.** A stream ends when its credential expires or is revoked, and when the service stops. An organization can
  have SANDGLASS_EVENT_STREAMS open streams per process.
- **A delay.** An event waits until all transactions that began to write before its own are over, because one of them
  could still add an earlier event. If another program writes to the same PostgreSQL in transactions that take minutes,
  events arrive that much later.

## An event
| field | meaning |
|---|---|
| \`id\` | its id and position |
| \`orgId\` | the organization; null for events of nodes |
| \`type\` | one of the types below |
| \`time\` | when its transaction began, by the clock of the database |
| \`subject\` | the id of the resource. For everything that happens in a sandbox, that is the sandbox |
| \`data\` | depends on the type. Fields may be added to a type |
| \`reason\` | why it happened, as a sentence, or null |
| \`actor\` | who caused it: the kind and id of a credential, or \`service\` |

Events contain no secrets. Those of keys are for admins, since only admins can list keys.

## Types
| type | subject | least role | when |
|---|---|---|---|
${rows.join('\n')}

${sections.join('\n\n')}
`
}

function section(name: EventTypeName, number: number): string {
  const { about, data } = eventTypes[name]
  const { properties = {} } = Shape.parse(z.toJSONSchema(data))
  const fields = Object.keys(properties).map(field => `\`${field}\``)
  const line = fields.length > 0 ? ` \`data\` has ${fields.join(', ')}.` : ''
  return `### ${name}
${about}${line}

\`\`\`json
${JSON.stringify(exampleOf(name, number), null, 2)}
\`\`\``
}

const Shape = z.object({ properties: z.record(z.string(), z.unknown()).optional() })

/** The name that GitHub gives the heading of a type. */
function anchorOf(name: string): string {
  return name.replaceAll('.', '')
}
