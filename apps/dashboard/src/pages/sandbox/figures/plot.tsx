import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useShownTheme } from '../../../app/use-theme.ts'
import type { PlotProps } from './figure-panel.tsx'

const colours = ['--accent', '--info']
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
/** The distances of marks of bytes are powers of two. */
const powersOfTwo = Array.from({ length: 50 }, (_, power) => 2 ** power)

/** A plot of samples over time that fills its parent. */
export function Plot({ samples, lines, max, format, isBytes }: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const theme = useShownTheme()
  const newest = useRef({ samples, lines, format, isBytes })
  newest.current = { samples, lines, format, isBytes }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are those of the theme.
  useEffect(() => {
    const element = place.current
    if (!element) return
    const drawn = new uPlot(optionsOf(element, newest.current, max), dataOf(newest.current), element)
    plot.current = drawn
    const sizes = new ResizeObserver(() => drawn.setSize(sizeOf(element)))
    sizes.observe(element)
    return () => {
      sizes.disconnect()
      drawn.destroy()
    }
  }, [theme, max])
  useEffect(() => plot.current?.setData(dataOf({ samples, lines })), [samples, lines])
  return <div ref={place} className="h-full" />
}

function dataOf({ samples, lines }: Pick<PlotProps, 'samples' | 'lines'>): uPlot.AlignedData {
  return [samples.map(({ atSeconds }) => atSeconds), ...lines.map(line => samples.map(line.of))]
}

function optionsOf(
  element: HTMLElement,
  { lines, format, isBytes }: Pick<PlotProps, 'lines' | 'format' | 'isBytes'>,
  max: number | undefined,
): uPlot.Options {
  const style = getComputedStyle(element)
  const token = (name: string) => style.getPropertyValue(name).trim()
  const axis = {
    stroke: token('--quiet'),
    grid: { stroke: token('--line'), width: 1 },
    ticks: { show: false },
  }
  return {
    ...sizeOf(element),
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_, __, highest) => [0, max ?? Math.max(1024, (highest ?? 0) * 1.1)] } },
    axes: [
      {
        ...axis,
        size: 28,
        space: 90,
        values: (_, values) => values.map(value => clock.format(value * 1000)),
      },
      {
        ...axis,
        size: 76,
        values: (_, values) => values.map(format),
        ...(isBytes && { incrs: powersOfTwo }),
      },
    ],
    series: [
      {},
      ...lines.map(({ title }, index) => ({
        label: title,
        stroke: token(colours[index] ?? '--accent'),
        width: 1.5,
        points: { show: false },
      })),
    ],
  }
}

function sizeOf(element: HTMLElement): { width: number; height: number } {
  return { width: element.clientWidth, height: element.clientHeight }
}
