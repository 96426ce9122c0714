import type { LoggedEvent } from '@sandglass/protocol'

/** An event of a sandbox as a line of its log. */
export function logView({ type, time, data }: Pick<LoggedEvent, 'type' | 'time' | 'data'>) {
  return { timestamp: time, level: 'info', message: type, fields: { data: JSON.stringify(data) } }
}
