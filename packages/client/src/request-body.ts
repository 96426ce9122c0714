type Sent = NonNullable<RequestInit['body']>

export interface RequestBody {
  readonly body?: Sent
  /** Left out for a form, whose boundary only `fetch` knows. */
  readonly type?: string
}

/** What to send: bytes and forms as they are, and everything else as JSON. */
export function requestBodyOf(body: unknown): RequestBody {
  if (body === undefined) return {}
  if (body instanceof FormData) return { body }
  if (isBytes(body)) return { body, type: 'application/octet-stream' }
  return { body: JSON.stringify(body), type: 'application/json' }
}

function isBytes(body: unknown): body is Sent {
  return (
    typeof body === 'string' ||
    ArrayBuffer.isView(body) ||
    body instanceof ArrayBuffer ||
    body instanceof Blob ||
    body instanceof ReadableStream
  )
}
