import type { Limit } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../app/calls.ts'
import { ErrorNote } from '../../ui/notes.tsx'
import { Panel } from '../../ui/panel.tsx'

const titles: Readonly<Record<Limit['name'], string>> = {
  concurrentSandboxes: 'Sandboxes at once',
  machineImages: 'Images',
  snapshots: 'Snapshots',
  volumes: 'Volumes',
  volumesMiB: 'MiB of all volumes',
  webhooks: 'Webhooks',
  apiKeys: 'API keys',
  trialTokens: 'Trial tokens',
  projects: 'Projects',
  mcpServers: 'MCP servers',
}

/** What the plan allows, and how much of it is used. */
export function Limits() {
  const { data, error } = useQuery(useCall('getLimits'))
  if (error) return <ErrorNote error={error} />
  if (!data) return null
  return (
    <Panel aria-labelledby="limits">
      <h2 id="limits" className="mb-3 text-base font-semibold">
        Plan {data.plan}
      </h2>
      <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {data.limits.map(({ name, used, limit }) => (
          <li key={name}>
            <div className="flex justify-between gap-2">
              <span>{titles[name]}</span>
              <span className="text-quiet tabular-nums">{limit === null ? used : `${used} of ${limit}`}</span>
            </div>
            {limit !== null && (
              <progress
                aria-label={titles[name]}
                value={Math.min(used, limit)}
                max={Math.max(1, limit)}
                className="h-1.5 w-full accent-accent"
              />
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
