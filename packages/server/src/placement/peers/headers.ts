import type { IncomingMessage } from 'node:http'
import { type AnswerHeaders, type HeaderList, hopByHop, namedIn, peerHeader } from '@sandglass/mappings'

/** What a process finds out about a request itself, so that nobody says it in its place. */
const setByEachProcess = new Set([
  ...['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port'],
  ...['x-real-ip', peerHeader],
])

/** Adds what of a request goes further than its connection to a list that names some headers already. */
export function headersToPeer(
  { rawHeaders, headers }: IncomingMessage,
  own: HeaderList,
  dropped: ReadonlySet<string>,
): HeaderList {
  const named = namedIn(headers.connection)
  const list = [...own]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase()
    if (hopByHop.has(name) || setByEachProcess.has(name) || dropped.has(name) || named?.includes(name))
      continue
    list.push(name, rawHeaders[i + 1] ?? '')
  }
  return list
}

/** Adds what of a peer's answer goes further than its connection to the headers that this process has set. */
export function headersFromPeer(
  answer: AnswerHeaders,
  own: Readonly<Record<string, number | string | string[] | undefined>> = {},
): HeaderList {
  const named = namedIn(answer['connection'])
  const list: HeaderList = []
  for (const name in own) if (answer[name] === undefined) push(list, name, own[name])
  for (const name in answer)
    if (!hopByHop.has(name) && name !== 'date' && !named?.includes(name)) push(list, name, answer[name])
  return list
}

function push(list: HeaderList, name: string, value: number | string | string[] | undefined): void {
  if (Array.isArray(value)) for (const one of value) list.push(name, one)
  else if (value !== undefined) list.push(name, String(value))
}
