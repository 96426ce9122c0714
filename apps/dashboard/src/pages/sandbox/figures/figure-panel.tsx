import { lazy, Suspense } from 'react'
import { Panel } from '../../../ui/panel.tsx'
import type { Sample } from './samples.ts'

export interface Line {
  readonly title: string
  readonly of: (sample: Sample) => number | null
}

export interface PlotProps {
  readonly samples: readonly Sample[]
  readonly lines: readonly Line[]
  /** The top of the scale, if it is known. */
  readonly max?: number | undefined
  readonly format: (value: number) => string
  readonly isBytes?: boolean
}

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }))

/** One figure: its value now, and a plot of it. */
export function FigurePanel({
  title,
  now,
  about,
  ...plot
}: PlotProps & { title: string; now: string; about?: string | undefined }) {
  return (
    <Panel aria-label={title} className="flex flex-col gap-2">
      <h3 className="text-quiet">{title}</h3>
      <p>
        <span className="text-lg font-semibold tabular-nums">{now}</span>{' '}
        {about && <span className="text-quiet">{about}</span>}
      </p>
      <div className="h-36" aria-hidden="true">
        <Suspense>
          <Plot {...plot} />
        </Suspense>
      </div>
    </Panel>
  )
}
