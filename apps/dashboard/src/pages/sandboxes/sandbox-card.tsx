import type { Sandbox } from '@sandglass/protocol'
import { Link } from '@tanstack/react-router'
import { ControlBadge, Labels, StateBadge, stateOf, TimeLeft } from './state.tsx'
import { Thumbnail } from './thumbnail.tsx'
import { Tick } from './tick.tsx'

export function SandboxCard({
  sandbox,
  project,
  isTicked,
  onTick,
}: {
  sandbox: Sandbox
  project: string | undefined
  isTicked: boolean
  onTick: () => void
}) {
  const { why } = stateOf(sandbox)
  return (
    <article
      className={`relative flex h-full flex-col overflow-hidden rounded-lg border bg-panel hover:border-line-strong ${sandbox.personNeeded ? 'border-warn' : 'border-line'}`}
    >
      <Thumbnail sandbox={sandbox} />
      <div className="flex min-h-0 flex-1 flex-col gap-1 p-3">
        <div className="flex items-center justify-between gap-2">
          <h2 className="min-w-0 truncate font-medium">
            <Link
              to="/sandboxes/$sandboxId"
              params={{ sandboxId: sandbox.id }}
              className="after:absolute after:inset-0"
            >
              {sandbox.name}
            </Link>
          </h2>
          <StateBadge sandbox={sandbox} />
        </div>
        <p className="truncate text-[13px] text-quiet">
          {why ?? (
            <>
              {sandbox.shapeName}
              {project && ` · ${project}`} · <TimeLeft sandbox={sandbox} />
            </>
          )}
        </p>
        <div className="flex max-h-6 flex-wrap gap-1 overflow-hidden">
          <ControlBadge sandbox={sandbox} />
          <Labels labels={sandbox.labels} />
        </div>
      </div>
      {!sandbox.ended && (
        <Tick name={sandbox.name} isTicked={isTicked} onTick={onTick} className="absolute top-2 left-2" />
      )}
    </article>
  )
}
