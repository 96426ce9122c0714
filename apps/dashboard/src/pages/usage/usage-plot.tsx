import type { Usage } from '@sandglass/protocol'
import { useCallback, useMemo } from 'react'
import uPlot from 'uplot'
import Plot, { axesOf, plotColours } from '../../ui/plot.tsx'
import { sumsOf } from './sums.ts'

const dayMs = 86_400_000

/** The billed hours of every day, as stacked bars. */
export default function UsagePlot({
  usage,
  from,
  to,
  nameOf,
}: {
  usage: readonly Usage[]
  from: string
  to: string
  nameOf: (usage: Usage) => string
}) {
  const names = sumsOf(usage, nameOf).map(({ name }) => name)
  const known = names.join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names stand for what they are called by.
  const data = useMemo(() => stackedDays(usage, daysFrom(from, to), names, nameOf), [usage, from, to, known])
  const optionsOf = useCallback(
    (colours: Parameters<typeof axesOf>[0]): Omit<uPlot.Options, 'width' | 'height'> => ({
      axes: axesOf(colours, value => `${value} h`),
      legend: { live: false },
      scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max)] } },
      series: [
        { value: '{YYYY}-{MM}-{DD}' },
        ...known.split('\n').map((label, index) => ({
          label,
          fill: plotColours[index % plotColours.length] ?? '',
          stroke: plotColours[index % plotColours.length] ?? '',
          points: { show: false },
          ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.7, 60] }) }),
        })),
      ],
    }),
    [known],
  )
  return (
    <Plot
      label={`Billed hours by day from ${from} to ${to}`}
      data={data}
      height={260}
      optionsOf={optionsOf}
    />
  )
}

function daysFrom(from: string, to: string): string[] {
  const count = Math.min(400, Math.floor((Date.parse(to) - Date.parse(from)) / dayMs) + 1)
  return Array.from({ length: Math.max(1, count) }, (_, index) =>
    new Date(Date.parse(from) + index * dayMs).toISOString().slice(0, 10),
  )
}

/** The first bars are drawn first, so each contains those that are drawn over it. */
function stackedDays(
  usage: readonly Usage[],
  days: readonly string[],
  names: readonly string[],
  nameOf: (usage: Usage) => string,
): uPlot.AlignedData {
  const hours = names.map(name =>
    days.map(day =>
      usage
        .filter(each => each.day === day && nameOf(each) === name)
        .reduce((sum, { billedSeconds }) => sum + billedSeconds / 3600, 0),
    ),
  )
  const stacked = hours.map((_, index) =>
    days.map((_day, at) => hours.slice(index).reduce((sum, row) => sum + (row[at] ?? 0), 0)),
  )
  return [days.map(day => Date.parse(day) / 1000), ...stacked]
}
