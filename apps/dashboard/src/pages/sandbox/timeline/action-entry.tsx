import type { TimelineAction } from '@sandglass/protocol'
import { Badge } from '../../../ui/badge.tsx'
import { exactTime } from '../../../ui/times.tsx'
import { Actor } from '../actor.tsx'
import { actionTitle, argumentsOf } from './action-text.ts'

const sources: Readonly<Record<string, string>> = { text: 'from a model’s text', mcp: 'by MCP' }

/** One action: when, who, what, how it went, and the screen after it. */
export function ActionEntry({
  action,
  onShow,
}: {
  action: TimelineAction
  onShow: (shot: { readonly url: string; readonly title: string }) => void
}) {
  const { at, actor, source, durationMs, outcome, screenshotUrl } = action
  const title = actionTitle(action)
  const facts = argumentsOf(action)
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-1 border-b border-line px-3 py-2 last:border-0">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium">{title}</span>
          {outcome !== 'done' && <Badge look="wrong">{outcome}</Badge>}
        </p>
        {facts.length > 0 && (
          <dl className="flex flex-wrap gap-x-3 text-[13px]">
            {facts.map(([name, value]) => (
              <div key={name} className="flex min-w-0 gap-1">
                <dt className="text-quiet">{name}</dt>
                <dd className="min-w-0 font-mono break-all">{value}</dd>
              </div>
            ))}
          </dl>
        )}
        <p className="text-[13px] text-quiet">
          <time dateTime={at}>{exactTime(at)}</time> · <Actor actor={actor} />
          {sources[source] && ` ${sources[source]}`} · {durationMs} ms
        </p>
      </div>
      {screenshotUrl && (
        <button
          type="button"
          aria-label={`The screen after ${title}`}
          className="w-32 shrink-0 overflow-hidden rounded-md border border-line"
          onClick={() => onShow({ url: screenshotUrl, title })}
        >
          <img src={screenshotUrl} alt="" loading="lazy" className="w-full" />
        </button>
      )}
    </li>
  )
}
