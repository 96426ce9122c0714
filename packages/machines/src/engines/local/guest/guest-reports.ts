import type { Json } from '../../../contract/handle.ts'
import type { ComponentRestart } from '../../../contract/health.ts'

/** An unsolicited report of the agent; each is one line of JSON. */
export type GuestReport =
  | { readonly kind: 'ending' }
  | { readonly kind: 'restarted'; readonly restart: ComponentRestart }

/** Longer lines are dropped, because a guest may send one that never ends. */
const maxLineBytes = 512
/** Further restarts of the same component within this time are dropped, because a guest may report any number. */
const minBetweenRestartsMs = 500
/** The max number of components in a session; reports about further ones are dropped. */
const maxComponents = 16
/** Valid component names, as used by the session of an image. */
const componentName = /^[a-z][a-z -]{0,30}$/

/** Parses the reports of the agent. Whatever a guest sends, it uses no more memory than one line. */
export class GuestReports {
  readonly #onReport: (report: GuestReport) => void
  #line = ''
  #isTooLong = false
  readonly #lastRestartMs = new Map<string, number>()

  constructor(onReport: (report: GuestReport) => void) {
    this.#onReport = onReport
  }

  receive(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; ) {
      const newline = bytes.indexOf(10, from)
      const end = newline < 0 ? bytes.length : newline
      this.#append(bytes, from, end)
      from = end + 1
      if (newline >= 0) this.#endLine()
    }
  }

  #append(bytes: Buffer, from: number, end: number): void {
    this.#isTooLong ||= this.#line.length + end - from > maxLineBytes
    if (!this.#isTooLong) this.#line += bytes.toString('latin1', from, end)
  }

  #endLine(): void {
    const line = this.#isTooLong ? '' : this.#line
    this.#line = ''
    this.#isTooLong = false
    const report = parseReport(line)
    if (report && (report.kind === 'ending' || this.#isNews(report.restart))) this.#onReport(report)
  }

  #isNews({ component }: ComponentRestart): boolean {
    const nowMs = performance.now()
    const lastMs = this.#lastRestartMs.get(component)
    if (lastMs === undefined && this.#lastRestartMs.size >= maxComponents) return false
    if (lastMs !== undefined && nowMs - lastMs < minBetweenRestartsMs) return false
    this.#lastRestartMs.set(component, nowMs)
    return true
  }
}

function parseReport(line: string): GuestReport | undefined {
  let value: Json
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined
  if (value['ending'] === true) return { kind: 'ending' }
  const { restarted: component, code } = value
  if (typeof component !== 'string' || !componentName.test(component)) return undefined
  const reason = `The ${component} ended${Number.isInteger(code) ? ` with code ${code}` : ''} and was started again.`
  return { kind: 'restarted', restart: { component, reason, at: new Date() } }
}
