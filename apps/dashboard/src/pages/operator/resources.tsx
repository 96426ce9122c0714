import type { NodeResources } from '@sandglass/protocol'

/** How much of the host of a node is in use. */
export function Resources({ resources: { cpus, memoryMiB, diskMiB } }: { resources: NodeResources }) {
  const rows = [
    { title: 'Processors', ...cpus, text: (amount: number) => amount.toFixed(1) },
    { title: 'Memory', ...memoryMiB, text: gib },
    { title: 'Disk', ...diskMiB, text: gib },
  ]
  return (
    <ul className="grid gap-4 sm:grid-cols-3">
      {rows.map(({ title, total, free, text }) => (
        <li key={title}>
          <div className="flex justify-between gap-2 text-[13px]">
            <span>{title}</span>
            <span className="text-quiet tabular-nums">
              {text(total - free)} of {text(total)} in use
            </span>
          </div>
          <meter
            aria-label={title}
            min={0}
            max={total}
            high={total * 0.9}
            value={total - free}
            className="h-3 w-full"
          />
        </li>
      ))}
    </ul>
  )
}

export function gib(mib: number): string {
  return `${(mib / 1024).toFixed(1)} GiB`
}
