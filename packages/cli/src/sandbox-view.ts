import type { Output as Returned } from '@sandglass/client'
import type { ListView } from './output.ts'
import { formatTime } from './quantities.ts'
import type { Style } from './style.ts'

export type SandboxRecord = Awaited<Returned<'createSandbox'>>

/** What people want to know: STOPPED sandboxes wait to be resumed, unless they failed. */
export function stateOf({ status, paused, hibernated, problem, ended }: SandboxRecord): string {
  if (ended) return `ended (${ended.reason})`
  if (paused) return 'paused'
  if (hibernated) return 'hibernated'
  return problem ? `${status.toLowerCase()} (${problem.component} unreachable)` : status.toLowerCase()
}

function paint(text: string, { status }: SandboxRecord, style: Style): string {
  if (status === 'RUNNING') return style.green(text)
  return status === 'ERROR' ? style.red(text) : style.yellow(text)
}

export const sandboxView: ListView<SandboxRecord> = {
  columns: [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'STATE', value: stateOf, style: paint },
    { title: 'SHAPE', value: ({ shapeName }) => shapeName },
    { title: 'ENDS', value: ({ expiresAt, ended }) => formatTime(ended?.at ?? expiresAt) },
    { title: 'CREATED', value: ({ createdAt }) => formatTime(createdAt), isOptional: true },
    { title: 'LABELS', value: labelsOf, isOptional: true },
  ],
  nameOf: ({ id }) => id,
  empty: 'There are no sandboxes. `sandglass sandbox create` makes one.',
}

export function labelsOf({ labels }: SandboxRecord): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')
}
