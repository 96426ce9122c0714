import type { Position } from './output-log.ts'

const pattern = /^(?<shell>[0-9a-f-]{36})\.(?<entries>\d{1,15})\.(?<bytes>\d{1,15})$/

/** The id of an event contains its shell and its position, so that a reader can resume after it on a new connection. */
export function eventIdOf(shellId: string, { entries, bytes }: Position): string {
  return `${shellId}.${entries}.${bytes}`
}

export interface Resumption {
  readonly shellId: string
  readonly from: Position
}

/** Parses Last-Event-ID. Returns undefined if it is not an id of this service. */
export function resumptionOf(header: string | string[] | undefined): Resumption | undefined {
  const { shell, entries, bytes } = pattern.exec(String(header ?? ''))?.groups ?? {}
  if (shell === undefined) return undefined
  return { shellId: shell, from: { entries: Number(entries), bytes: Number(bytes) } }
}
