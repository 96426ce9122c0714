import type { CallOptions } from './call-options.ts'
import { type Credentials, findCredentials } from './credentials.ts'
import { ConnectionError, NotFoundError, SandglassError, TimeoutError } from './errors.ts'
import type { SandglassOptions } from './options.ts'
import { readFailure } from './read-failure.ts'
import { waitBeforeRetry } from './retry.ts'
import type { Route } from './routes.ts'

/** The path, query and body of a call. */
export type AnyInput = Readonly<Record<string, unknown>> & { readonly body?: unknown }

type Sent = NonNullable<RequestInit['body']>

const usualTimeoutMs = 120_000
const usualRetries = 4

/** Codes of connections that were never made, by undici. */
const neverSent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH']

interface Attempt {
  readonly url: string
  readonly init: RequestInit
  readonly signal: AbortSignal
  readonly base: string
}

/** Sends calls to a service, again where that is safe, and turns what goes wrong into errors. */
export class Transport {
  readonly #options: SandglassOptions
  readonly #fetch: typeof fetch
  #credentials: Promise<Credentials> | undefined

  constructor(options: SandglassOptions) {
    this.#options = options
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init))
  }

  /** Which service this is, and who calls it. */
  credentials(): Promise<Credentials> {
    this.#credentials ??= findCredentials(this.#options)
    return this.#credentials
  }

  /**
   * Calls an operation, and returns what `read` makes of its response. The time limit is also for reading, unless the response is a
   * stream.
   */
  async call<T>(
    route: Route,
    input: AnyInput,
    options: CallOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const limit = new TimeLimit(this.#timeoutOf(route, options), options.signal)
    try {
      return await this.#repeat(route, input, options, limit, read)
    } catch (error) {
      throw limit.reasonFor(error, route)
    } finally {
      limit.clear()
    }
  }

  async #repeat<T>(
    route: Route,
    input: AnyInput,
    options: CallOptions,
    limit: TimeLimit,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { signal } = limit
    const attempt = await this.#attemptOf(route, input, options, signal)
    const isRepeatable = (route.isRepeatable || route.creates) && !(input.body instanceof ReadableStream)
    const retries = options.retries ?? this.#options.retries ?? usualRetries
    for (let failures = 0; ; ) {
      try {
        return await read(await this.#attempt(attempt))
      } catch (error) {
        if (signal.aborted) throw error
        // The first attempt has removed it, although its answer was lost.
        if (route.method === 'DELETE' && failures > 0 && error instanceof NotFoundError)
          return await read(new Response(null))
        const wait = waitBeforeRetry(error, { failures: ++failures, isRepeatable })
        if (wait === undefined || failures > retries || wait > limit.leftMs) throw error
        await pause(wait, signal)
      }
    }
  }

  async #attempt({ url, init, signal, base }: Attempt): Promise<Response> {
    const response = await this.#fetch(url, init).catch(cause => {
      throw signal.aborted ? cause : connectionError(base, cause)
    })
    if (!response.ok) throw await readFailure(response, base)
    return response
  }

  async #attemptOf(
    route: Route,
    input: AnyInput,
    options: CallOptions,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const { url: base, orgId, apiKey } = await this.credentials()
    const { body, ...values } = input
    const { path, query } = addressOf(route.path, { orgId, ...values })
    const sent = bodyOf(body)
    const headers = new Headers({ ...this.#options.headers, ...options.headers })
    headers.set('x-api-key', apiKey)
    if (sent.type) headers.set('content-type', sent.type)
    if (route.streams && !headers.has('accept') && route.answers === 'events')
      headers.set('accept', 'text/event-stream')
    if (route.creates) headers.set('idempotency-key', options.idempotencyKey ?? crypto.randomUUID())
    const init = {
      method: route.method,
      headers,
      signal,
      ...(sent.body !== undefined && { body: sent.body }),
    }
    // Node sends a stream only if it is told that the answer comes after it.
    if (sent.body instanceof ReadableStream) Object.assign(init, { duplex: 'half' })
    return { url: base + path + query, init, signal, base }
  }

  #timeoutOf(route: Route, { timeoutMs }: CallOptions): number {
    return timeoutMs ?? this.#options.timeoutMs ?? (route.isLong ? Number.POSITIVE_INFINITY : usualTimeoutMs)
  }
}

/** Ends a call after some time, or when its caller says so. */
class TimeLimit {
  readonly signal: AbortSignal
  readonly #end: number
  readonly #timeoutMs: number
  readonly #controller = new AbortController()
  readonly #timer: ReturnType<typeof setTimeout> | undefined

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs
    this.#end = Date.now() + timeoutMs
    if (Number.isFinite(timeoutMs)) this.#timer = setTimeout(() => this.#controller.abort(), timeoutMs)
    const ours = this.#controller.signal
    this.signal = signal ? AbortSignal.any([signal, ours]) : ours
  }

  get leftMs(): number {
    return this.#end - Date.now()
  }

  /** A stream goes on after the call. */
  clear(): void {
    clearTimeout(this.#timer)
  }

  /** What the caller gets to know. An abort of the caller's own has the caller's own reason. */
  reasonFor(error: unknown, { id }: Route): unknown {
    if (!this.signal.aborted) return error instanceof SandglassError ? error : unexpected(error)
    if (!this.#controller.signal.aborted) return this.signal.reason
    return new TimeoutError(
      `${id} took longer than ${this.#timeoutMs} ms. The service may still have done it. Pass a larger timeoutMs to wait longer.`,
      { code: 'client.TIMEOUT', cause: error },
    )
  }
}

function addressOf(template: string, values: Readonly<Record<string, unknown>>) {
  const rest = new Map(Object.entries(values))
  rest.delete('orgId')
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    rest.delete(name)
    const value = values[name]
    if (typeof value !== 'string' || value === '')
      throw new TypeError(`${name} must be a string that is not empty, as a part of ${template}.`)
    return encodeURIComponent(value)
  })
  const query = new URLSearchParams()
  for (const [name, value] of rest)
    for (const one of [value].flat()) if (one !== undefined && one !== null) query.append(name, String(one))
  return { path, query: query.size > 0 ? `?${query}` : '' }
}

function bodyOf(body: unknown): { readonly body?: Sent; readonly type?: string } {
  if (body === undefined) return {}
  if (body instanceof FormData) return { body }
  if (typeof body === 'string' || body instanceof Uint8Array || body instanceof ArrayBuffer)
    return { body: body as Sent, type: 'application/octet-stream' }
  if (body instanceof Blob || body instanceof ReadableStream)
    return { body, type: 'application/octet-stream' }
  return { body: JSON.stringify(body), type: 'application/json' }
}

function connectionError(base: string, cause: unknown): ConnectionError {
  const code = (cause as { cause?: { code?: string } })?.cause?.code
  const isUnsent = code !== undefined && neverSent.includes(code)
  return new ConnectionError(
    isUnsent
      ? `Nothing answers at ${base}. Check that the service runs (npm start) and that the URL (SANDGLASS_URL) is right.`
      : `The connection to ${base} was lost${code ? ` (${code})` : ''}. The service may have done what it was told.`,
    { code: isUnsent ? 'client.NOT_SENT' : 'client.DISCONNECTED', cause },
  )
}

function unexpected(error: unknown): unknown {
  if (error instanceof TypeError && error.cause === undefined) return error
  return new ConnectionError('The connection ended before the answer was complete.', {
    code: 'client.DISCONNECTED',
    cause: error,
  })
}

/** Resolves after some time, or rejects when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const end = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}
