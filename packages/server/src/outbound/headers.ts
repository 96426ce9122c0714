import { validateHeaderName, validateHeaderValue } from 'node:http'
import { ApiError } from '@sandglass/protocol'

export type Headers = Readonly<Record<string, string>>

/** Callers cannot set these headers. The HTTP client sets Host, framing and hop-by-hop headers itself. */
const reserved = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'expect',
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'http2-settings',
])

/** Returns the caller's headers that may be sent, with names in lower case. */
export function sendableHeaders(headers: Headers = {}): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    requireValid(name, value)
    if (!reserved.has(name.toLowerCase())) kept[name.toLowerCase()] = value
  }
  return kept
}

function requireValid(name: string, value: string): void {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  } catch (cause) {
    const message = `The header ${JSON.stringify(name)} has a name or a value that HTTP does not allow.`
    throw new ApiError('outbound.INVALID', { message, cause })
  }
}
