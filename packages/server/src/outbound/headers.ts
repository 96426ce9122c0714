import { validateHeaderName, validateHeaderValue } from 'node:http'
import { ApiError } from '@sandglass/protocol'

export type Headers = Readonly<Record<string, string>>

/** Host, framing and hop-by-hop headers are the service's own to set. */
const ours = new Set([
  ...['host', 'content-length', 'transfer-encoding', 'expect'],
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade', 'http2-settings'],
])

/** The caller's headers as they may be sent, by their names in lower case. */
export function sendableHeaders(headers: Headers = {}): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    requireValid(name, value)
    if (!ours.has(name.toLowerCase())) kept[name.toLowerCase()] = value
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
