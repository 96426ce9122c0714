type Sent = NonNullable<RequestInit['body']>

export interface RequestBody {
  readonly body?: Sent
  /** Left out for a form, whose boundary only `fetch` knows. */
  readonly type?: string
}

/** What to send: bytes and forms as they are, and everything else as JSON. */
export function requestBodyOf(body: unknown): RequestBody {
  if (body === undefined) return {}
  if (isBytes(body)) return { body, type: 'application/octet-stream' }
  if (isForm(body)) return { body }
  return { body: JSON.stringify(body), type: 'application/json' }
}

/** Does not name the class, because Node loads all of `fetch` for it. */
function isForm(body: unknown): body is FormData {
  return Object.prototype.toString.call(body) === '[object FormData]'
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
