import type { Position } from './output-log.ts'

const pattern = /^(?<shell>[0-9a-f-]{36})\.(?<entries>\d{1,15})\.(?<bytes>\d{1,15})$/

/** An event names its shell and its place in it, so that a reader can go on after it on a new connection. */
export function eventIdOf(shellId: string, { entries, bytes }: Position): string {
  return `${shellId}.${entries}.${bytes}`
}

export interface Resumption {
  readonly shellId: string
  readonly from: Position
}

/** What a Last-Event-ID asks for; undefined where it is none of ours. */
export function resumptionOf(header: string | string[] | undefined): Resumption | undefined {
  const { shell, entries, bytes } = pattern.exec(String(header ?? ''))?.groups ?? {}
  if (shell === undefined) return undefined
  return { shellId: shell, from: { entries: Number(entries), bytes: Number(bytes) } }
}
