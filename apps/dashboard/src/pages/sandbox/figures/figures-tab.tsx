import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useCall } from '../../../app/calls.ts'
import { ErrorNote, Loading } from '../../../ui/notes.tsx'
import { size } from '../../../ui/sizes.ts'
import { FigurePanel } from './figure-panel.tsx'
import { type Sample, withSample } from './samples.ts'

const everyMs = 2000

/** What the machine uses, since the tab was opened. */
export function FiguresTab({ sandboxId }: { sandboxId: string }) {
  const { data, error } = useQuery({
    ...useCall('getSandboxFigures', { sandboxId }),
    refetchInterval: everyMs,
    staleTime: 0,
  })
  const [samples, setSamples] = useState<readonly Sample[]>([])
  useEffect(() => {
    if (data) setSamples(before => withSample(before, data))
  }, [data])
  const last = samples.at(-1)
  if (error && !last) return <ErrorNote error={error} />
  if (!last) return <Loading />
  const { memory, disk, cpus } = last
  return (
    <div className="grid gap-3 lg:grid-cols-2">
      <FigurePanel
        title="CPU"
        now={last.cpuPercent === null ? 'measuring' : `${last.cpuPercent.toFixed(0)} %`}
        about={cpus === null ? undefined : `of ${cpus} ${cpus === 1 ? 'processor' : 'processors'}`}
        samples={samples}
        lines={[{ title: 'CPU', of: ({ cpuPercent }) => cpuPercent }]}
        max={100}
        format={value => `${value.toFixed(0)} %`}
      />
      <FigurePanel
        title="Memory"
        now={memory ? size(memory.usedBytes) : 'not known'}
        about={memory ? `of ${size(memory.limitBytes)}` : undefined}
        samples={samples}
        lines={[{ title: 'Memory', of: sample => sample.memory?.usedBytes ?? null }]}
        max={memory?.limitBytes}
        format={size}
        isBytes
      />
      <FigurePanel
        title="Disk"
        now={disk ? size(disk.usedBytes) : 'not known'}
        about={disk ? `of ${size(disk.limitBytes)}` : undefined}
        samples={samples}
        lines={[{ title: 'Disk', of: sample => sample.disk?.usedBytes ?? null }]}
        max={disk?.limitBytes}
        format={size}
        isBytes
      />
      <FigurePanel
        title="Network"
        now={last.received === null ? 'none' : `${size(last.received)}/s in, ${size(last.sent ?? 0)}/s out`}
        samples={samples}
        lines={[
          { title: 'In', of: ({ received }) => received },
          { title: 'Out', of: ({ sent }) => sent },
        ]}
        format={value => `${size(value)}/s`}
        isBytes
      />
    </div>
  )
}
