import { type Unit, unitOf } from './figures/figure.ts'
import type { Judged } from './judge.ts'
import type { SoakOptions } from './options.ts'
import type { Count, Failure } from './tally.ts'

/** The result of a run. */
export interface Report {
  readonly startedAt: Date
  readonly minutes: number
  readonly options: SoakOptions
  readonly machine: string
  readonly lives: number
  readonly judged: readonly Judged[]
  readonly samples: number
  readonly measuredMinutes: number
  readonly counts: ReadonlyMap<string, Count>
  readonly refusals: ReadonlyMap<string, number>
  readonly failures: readonly Failure[]
  readonly failed: number
  readonly heard: { readonly events: number; readonly deliveries: number }
  readonly faults: ReadonlyMap<string, number>
  readonly leftOver: readonly string[]
  /** What the service printed when it was started again after a fault and refused to start. */
  readonly failedStarts: readonly string[]
  /** Errors that no code of the service has handled. */
  readonly unhandled: readonly string[]
}

/** What a run found that must not be. */
export function problemsOf({ judged, failed, leftOver, unhandled, failedStarts }: Report): string[] {
  return [
    ...judged.filter(({ verdict }) => verdict === 'leaks').map(({ name }) => `leaks: ${name}`),
    ...(failed > 0 ? [`${failed} calls failed`] : []),
    ...failedStarts.map(printed => `did not start again: ${printed}`),
    ...leftOver.map(what => `left over: ${what}`),
    ...unhandled.map(line => `not handled: ${line.slice(0, 300)}`),
  ]
}

/** The generated part of docs/soak.md, which is also printed. */
export function reportText(report: Report): string {
  const { options, judged } = report
  const used = judged.find(({ name }) => name === 'cores used')
  return `Measured on ${report.startedAt.toISOString().slice(0, 10)}, ${report.machine}: ${round(report.minutes)} minutes, seed ${options.seed}, ${options.callers}
callers and ${options.desktops} real ${options.desktops === 1 ? 'desktop' : 'desktops'}, faults: ${faultsText(report)}. ${report.lives} sandboxes lived, ${sum(report.counts, 'done')} calls succeeded,
${report.heard.events} events were streamed and ${report.heard.deliveries} sent to a webhook. ${used ? `The service and its machines used ${used.last.toFixed(1)} cores. ` : ''}The slopes are
those of the last ${round(report.measuredMinutes)} minutes (${report.samples} samples).

| what | at first | at the end | largest | per hour | verdict |
|---|---|---|---|---|---|
${judged
  .filter(({ name, largest }) => name !== 'cores used' && largest > 0)
  .map(row)
  .join('\n')}

| call | succeeded | refused | failed |
|---|---|---|---|
${[...report.counts]
  .sort(([a], [b]) => a.localeCompare(b))
  .map(([what, { done, refused, failed }]) => `| ${what} | ${done} | ${refused} | ${failed} |`)
  .join('\n')}

Refused: ${listed([...report.refusals].map(([code, times]) => `${times} × \`${code}\``))}.
${report.failures.length === 0 ? 'No call failed.' : `Failed:\n${report.failures.map(({ at, what, text, times }) => `- ${times} × ${what}, first at ${at}: ${text}`).join('\n')}`}

Left over once everything was deleted: ${listed(report.leftOver)}. Errors that were not handled: ${listed(report.unhandled)}.
Starts after a fault that failed: ${listed(report.failedStarts)}.`
}

function row({ name, first, last, largest, perHour, verdict, bound }: Judged): string {
  const show = (value: number) => shown(value, unitOf(name))
  const sign = perHour > 0 ? '+' : perHour < 0 ? '−' : ''
  const said = { flat: 'flat', unknown: 'too few samples', leaks: '**leaks**', bounded: `bounded: ${bound}` }
  return `| ${name} | ${show(first)} | ${show(last)} | ${show(largest)} | ${sign}${show(Math.abs(perHour))} | ${said[verdict]} |`
}

function shown(value: number, unit: Unit): string {
  return unit === 'bytes' ? `${(value / 2 ** 20).toFixed(1)} MiB` : String(round(value))
}

function faultsText({ faults }: Report): string {
  return faults.size === 0
    ? 'none'
    : listed([...faults].map(([name, times]) => `${times} × kill -9 of ${name}`))
}

const listed = (list: readonly string[]) => (list.length === 0 ? 'nothing' : list.join(', '))
const round = (value: number) => Math.round(value * 10) / 10

function sum(counts: Report['counts'], field: keyof Count): number {
  let total = 0
  for (const count of counts.values()) total += count[field]
  return total
}
