import type { Image } from '@sandglass/protocol'

/** A line of the log of a build. */
export interface BuildLine {
  readonly at: Date
  readonly text: string
  readonly isError: boolean
  /** The step of our build that printed it, from 0. */
  readonly step?: number
}

/** How many lines a client takes at a time. */
export const linesPerAnswer = 100

/** How a build stands, as clients read it. They count steps from 1, because what the build starts from is their step 0. */
export function buildView(template: string, { id, status, reason }: Image, lines: readonly BuildLine[]) {
  return {
    templateID: template,
    buildID: id,
    status: status === 'READY' ? 'ready' : status === 'ERROR' ? 'error' : 'building',
    logs: [],
    logEntries: lines.map(lineView),
    ...(status === 'ERROR' && { reason: failureView(reason ?? 'The build failed.') }),
  }
}

function lineView({ at, text, isError, step }: BuildLine) {
  return {
    timestamp: at.toISOString(),
    level: isError ? 'error' : 'info',
    message: text,
    ...(step !== undefined && { step: String(step + 1) }),
  }
}

/** Our reason names the step in its text. */
function failureView(reason: string) {
  const [, step, rest] = /^Step (\d+) failed\. (.*)$/s.exec(reason) ?? []
  if (step === undefined) return { message: reason, logEntries: [] }
  return { message: rest, step: String(Number(step) + 1), logEntries: [] }
}
