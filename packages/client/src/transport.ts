import { addressOf } from './address.ts'
import type { CallOptions } from './call-options.ts'
import { connectionFailure } from './connection-failure.ts'
import { type Credentials, findCredentials } from './credentials.ts'
import { NotFoundError } from './errors.ts'
import { longAnswers } from './long-answers.ts'
import type { SandglassOptions } from './options.ts'
import { pause } from './pause.ts'
import { readFailure } from './read-failure.ts'
import { isStream, requestBodyOf } from './request-body.ts'
import { mayBeDone, waitBeforeRetry } from './retry.ts'
import type { Route } from './routes.ts'
import { TimeLimit } from './time-limit.ts'

/** The path, query and body of a call. */
export type AnyInput = Readonly<Record<string, unknown>> & { readonly body?: unknown }

const usualTimeoutMs = 120_000
const usualRetries = 4
/** Node's fetch waits this long for an answer, unless it is told otherwise. */
const patienceOfNodeMs = 300_000

/** An operation, and what it is called with. */
export interface Call {
  readonly route: Route
  readonly input: AnyInput
  readonly options: CallOptions
}

/** A response whose body is read by the caller, who releases the time limit after it. */
export interface Opened {
  readonly response: Response
  readonly limit: TimeLimit
  readonly url: string
}

type Read<T> = (response: Response, url: string) => Promise<T> | T

/** A request that can be sent several times. */
interface Prepared {
  /** Of the service. */
  readonly base: string
  readonly url: string
  readonly init: RequestInit
}

/** Sends calls to a service, again where that is safe, and turns what goes wrong into errors. */
export class Transport {
  readonly options: SandglassOptions
  readonly #fetch: typeof fetch
  #credentials: Promise<Credentials> | undefined

  constructor(options: SandglassOptions) {
    this.options = options
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init))
  }

  /** Which service this is, and who calls it. What has failed is tried again by the next call. */
  credentials(): Promise<Credentials> {
    this.#credentials ??= findCredentials(this.options).catch(error => {
      this.#credentials = undefined
      throw error
    })
    return this.#credentials
  }

  /** Calls an operation, and returns what `read` makes of its response. The time limit is also for reading it. */
  async call<T>(call: Call, read: Read<T>): Promise<T> {
    const limit = this.#limitOf(call, call.route.isLong ? Number.POSITIVE_INFINITY : usualTimeoutMs)
    try {
      return await this.#repeat(call, limit, read)
    } catch (error) {
      throw limit.reasonFor(error)
    } finally {
      limit.release()
    }
  }

  /** Calls an operation, and returns its response as soon as it begins. The time limit is only for that. */
  async open(call: Call, check: (response: Response, url: string) => void): Promise<Opened> {
    const limit = this.#limitOf(call, usualTimeoutMs)
    try {
      return await this.#repeat(call, limit, (response, url) => {
        check(response, url)
        limit.stopTimer()
        return { response, limit, url }
      })
    } catch (error) {
      limit.release()
      throw limit.reasonFor(error)
    }
  }

  #limitOf({ route, options }: Call, usual: number): TimeLimit {
    return new TimeLimit(route.id, options.timeoutMs ?? this.options.timeoutMs ?? usual, options.signal)
  }

  async #repeat<T>(call: Call, limit: TimeLimit, read: Read<T>): Promise<T> {
    const { route, input, options } = call
    const prepared = await this.#prepare(call, limit)
    const isRepeatable = route.isRepeatable && !isStream(input.body)
    const retries = options.retries ?? this.options.retries ?? usualRetries
    let isMaybeDone = false
    for (let failures = 0; ; ) {
      limit.signal.throwIfAborted()
      try {
        return await read(await this.#send(prepared, limit.signal), prepared.base)
      } catch (error) {
        if (limit.signal.aborted) throw error
        // An earlier attempt has removed it, although its answer was lost.
        if (route.method === 'DELETE' && isMaybeDone && error instanceof NotFoundError)
          return await read(new Response(null), prepared.base)
        isMaybeDone ||= mayBeDone(error)
        const wait = waitBeforeRetry(error, { failures: ++failures, isRepeatable })
        if (wait === undefined || failures > retries || wait > limit.leftMs) throw error
        await pause(wait, limit.signal)
      }
    }
  }

  async #send({ base, url, init }: Prepared, signal: AbortSignal): Promise<Response> {
    const response = await this.#fetch(url, init).catch(cause => {
      throw signal.aborted ? cause : connectionFailure(base, cause)
    })
    if (!response.ok) throw await readFailure(response, base)
    return response
  }

  async #prepare({ route, input, options }: Call, limit: TimeLimit): Promise<Prepared> {
    const { url: base, orgId, apiKey } = await this.credentials()
    const { body, ...values } = input
    const sent = requestBodyOf(body)
    const headers = lowerCase({ ...this.options.headers, ...options.headers })
    headers['x-api-key'] = apiKey
    if (sent.type) headers['content-type'] = sent.type
    if (route.creates) headers['idempotency-key'] = options.idempotencyKey ?? crypto.randomUUID()
    const init: RequestInit = {
      method: route.method,
      headers,
      signal: limit.signal,
      redirect: 'manual',
      ...(sent.body !== undefined && { body: sent.body }),
      // A stream is only sent if the answer is known to come after it.
      ...(isStream(sent.body) && { duplex: 'half' }),
      ...(limit.leftMs > patienceOfNodeMs && longAnswers()),
    }
    return { base, url: base + addressOf(route.path, values, orgId), init }
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
