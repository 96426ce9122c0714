import type { LoggedEvent } from '@sandglass/protocol'
import { exactTime } from '../../../ui/times.tsx'
import { Actor } from '../actor.tsx'
import { eventText } from './event-text.ts'

/** One event, with its data for those who want to know. */
export function LogEntry({ event }: { event: LoggedEvent }) {
  const { time, type, data, reason, actor } = event
  const hasData = Object.keys(data).length > 0
  return (
    <li className="grid gap-x-4 gap-y-1 border-b border-line px-3 py-2 last:border-0 md:grid-cols-[11rem_1fr_auto]">
      <time dateTime={time} className="text-[13px] text-quiet tabular-nums">
        {exactTime(time)}
      </time>
      <div className="min-w-0">
        <p>{eventText(event)}</p>
        {reason && <p className="text-[13px] text-quiet">{reason}</p>}
        {hasData && (
          <details className="text-[13px] text-quiet">
            <summary className="cursor-pointer">{type}</summary>
            <pre
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard.
              tabIndex={0}
              className="overflow-x-auto py-1 font-mono"
            >
              {JSON.stringify(data, null, 2)}
            </pre>
          </details>
        )}
      </div>
      <span className="text-[13px] text-quiet">
        <Actor actor={actor} />
      </span>
    </li>
  )
}
