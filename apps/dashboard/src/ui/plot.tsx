import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useShownTheme } from '../app/use-theme.ts'

/** Distinguishable in light and dark, and for most people who confuse colours. */
export const plotColours = ['#c2841d', '#3b7dd8', '#3f9c6b', '#b4557c', '#7a6cc4', '#6b7280']

/** A plot over time that is as wide as its place. It is drawn with what `optionsOf` says whenever that or the theme changes. */
export default function Plot({
  label,
  data,
  height,
  optionsOf,
}: {
  label: string
  data: uPlot.AlignedData
  height: number
  optionsOf: (colours: {
    readonly text: string
    readonly line: string
  }) => Omit<uPlot.Options, 'width' | 'height'>
}) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const theme = useShownTheme()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours of the page change with the theme, and data is set below.
  useEffect(() => {
    const element = place.current
    if (!element) return
    const style = getComputedStyle(document.documentElement)
    const colours = { text: style.getPropertyValue('--quiet'), line: style.getPropertyValue('--line') }
    const made = new uPlot({ width: element.clientWidth, height, ...optionsOf(colours) }, data, element)
    plot.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
    }
  }, [theme, height, optionsOf])
  useEffect(() => plot.current?.setData(data), [data])
  return <div ref={place} role="img" aria-label={label} />
}

/** The axes of a plot in the colours of the page. */
export function axesOf(
  { text, line }: { readonly text: string; readonly line: string },
  labelOf: (value: number) => string,
): uPlot.Axis[] {
  const look = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } }
  return [look, { ...look, size: 64, values: (_plot, values) => values.map(labelOf) }]
}
