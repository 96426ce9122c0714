import { Badge } from '../ui/badge.tsx'
import { Code } from '../ui/copy.tsx'
import { Page } from '../ui/page.tsx'
import { eventLink } from './place.ts'
import { Prose } from './prose.tsx'
import { useReference } from './reference.ts'

/** All types of events, or one with its example. */
export function EventsPage({ type }: { type: string | undefined }) {
  const { events } = useReference()
  const event = type === undefined ? undefined : events[type]
  if (type !== undefined && event)
    return (
      <Page title={type} about={`Happens to: ${event.subject}`}>
        <p>{event.about}</p>
        <p>{readers(event.role)}</p>
        <Code label="Example" text={JSON.stringify({ type, ...Object(event.example) }, undefined, 2)} />
      </Page>
    )
  return (
    <Page title="Events" about="What happens is in a log.">
      <p>
        <Prose text="listEvents reads and follows it, listSandboxEvents that of one sandbox, and createWebhook sends it to a URL of your own." />
      </p>
      <ul className="divide-y divide-line">
        {Object.entries(events).map(([name, { about, role }]) => (
          <li key={name} className="py-2">
            <p className="flex flex-wrap items-baseline gap-2">
              <a href={eventLink(name)} className="font-mono text-[13px] font-semibold hover:underline">
                {name}
              </a>
              <Badge>{role ?? 'operator'}</Badge>
            </p>
            <p>{about}</p>
          </li>
        ))}
      </ul>
    </Page>
  )
}

function readers(role: string | null): string {
  return role === null
    ? 'Only the operator can read it.'
    : `Members with the role ${role} or a higher one can read it.`
}
