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

export function isStream(body: unknown): body is ReadableStream<Uint8Array> {
  return classOf(body) === 'ReadableStream'
}

function isForm(body: unknown): body is FormData {
  return classOf(body) === 'FormData'
}

function isBytes(body: unknown): body is Sent {
  return (
    typeof body === 'string' ||
    ArrayBuffer.isView(body) ||
    body instanceof ArrayBuffer ||
    ['Blob', 'File', 'ReadableStream'].includes(classOf(body))
  )
}

/** Does not use the classes themselves, because Node loads them when they are first used: all of `fetch` for a form. */
function classOf(body: unknown): string {
  return Object.prototype.toString.call(body).slice('[object '.length, -1)
}
