import { lookup } from 'node:dns/promises'
import type { Readable } from 'node:stream'
import { ApiError } from '@sandglass/protocol'
import { Agent, type buildConnector, type Dispatcher } from 'undici'
import { beginningOf } from './beginning-of.ts'
import { checkedConnector, forbidden, literalAddress, type Resolve } from './connect.ts'
import { type Answer, failed, redirectTarget } from './failures.ts'
import { formFrame } from './form.ts'
import { type Headers, sendableHeaders } from './headers.ts'
import { DiallableNetworks } from './networks.ts'
import { type Sendable, sendAlone } from './send-alone.ts'
import { UploadBody, type UploadParts } from './upload-body.ts'

const maxRedirects = 5
/**
 * The timeout for the headers of an answer, and between two pieces of a body. It does not limit an upload that makes
 * progress.
 */
const idleTimeoutMs = 30_000
const maxHeaderBytes = 32 * 1024
/** How much of an unwanted answer is read, so that its connection can be reused. */
const discardLimits = { limit: 64 * 1024, timeoutMs: 5000 }

const defaultHeaders = { 'user-agent': 'sandglass' }

/**
 * The content of an upload. Self-sending content uses a connection of its own, which is worthwhile for large content.
 */
export type Content = Readable | Uint8Array | Sendable

export interface OutboundOptions {
  /** The caller's headers. They are sent only to the origin of the URL. */
  readonly headers?: Headers | undefined
  readonly signal?: AbortSignal | undefined
}

export interface UploadOptions extends OutboundOptions {
  /** The number of bytes in the stream. Without it the upload is chunked, which S3 refuses. */
  readonly contentLength?: number
}

export interface PostOptions {
  readonly headers?: Headers | undefined
  /** The timeout of the whole call, from the connection to the end of the answer. */
  readonly timeoutMs: number
  /** How much of the answer is returned. */
  readonly maxBytes: number
}

/** An answer of any status, and the beginning of its content. */
export interface Posted {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

export interface Download {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readable
}

/**
 * Makes every call to a URL that a caller supplied. It reaches only public networks and those that the operator
 * allowed, and dials the address that it checked. Messages contain only the origin of a URL, because the rest may
 * contain a signature.
 */
export class Outbound {
  readonly #networks: DiallableNetworks
  readonly #connect: buildConnector.connector
  readonly #agent: Agent
  readonly #closing = new AbortController()

  constructor(allowed: readonly string[], resolve: Resolve = name => lookup(name, { all: true })) {
    this.#networks = new DiallableNetworks(allowed)
    this.#connect = checkedConnector(this.#networks, resolve)
    this.#agent = new Agent({
      connect: this.#connect,
      headersTimeout: idleTimeoutMs,
      bodyTimeout: idleTimeoutMs,
      maxHeaderSize: maxHeaderBytes,
    })
  }

  /** Follows redirects. The caller's headers are not sent to another origin. */
  async get(url: string, { headers, signal }: OutboundOptions = {}): Promise<Download> {
    let at = parseUrl(url)
    let sent = sendableHeaders(headers)
    for (let redirects = 0; ; redirects++) {
      const answer = await this.#request(at, 'GET', sent, undefined, signal)
      if (isSuccess(answer)) return { status: answer.statusCode, headers: answer.headers, body: answer.body }
      discard(answer)
      const next = redirectTarget(at, answer)
      if (!next) throw failed(at, `it answered ${answer.statusCode}`)
      if (redirects === maxRedirects) throw failed(at, `it was redirected more than ${maxRedirects} times`)
      const target = parseUrl(next)
      if (target.origin !== at.origin) sent = {}
      at = target
    }
  }

  async put(url: string, body: Content, options: UploadOptions = {}): Promise<void> {
    await this.#upload('PUT', url, { content: body }, options)
  }

  /** Sends a multipart form with the file as its last field. */
  async postForm(
    url: string,
    fields: Readonly<Record<string, string>>,
    file: { readonly field: string; readonly name: string; readonly body: Content },
    { headers, contentLength, signal }: UploadOptions = {},
  ): Promise<void> {
    const { contentType, head, tail } = formFrame(fields, file.field, file.name)
    const { 'content-type': _, ...kept } = sendableHeaders(headers)
    await this.#upload(
      'POST',
      url,
      { content: file.body, head, tail },
      {
        headers: { ...kept, 'content-type': contentType },
        signal,
        ...(contentLength !== undefined && { contentLength: head.length + contentLength + tail.length }),
      },
    )
  }

  /**
   * Sends a body and returns the answer, whatever its status is. It follows no redirect. An answer that stops in the middle
   * still counts, because its status has arrived.
   */
  async post(url: string, body: string, { headers, timeoutMs, maxBytes }: PostOptions): Promise<Posted> {
    const at = parseUrl(url)
    const timedOut = new AbortController()
    const timer = setTimeout(() => timedOut.abort(failed(at, 'it did not answer in time')), timeoutMs)
    try {
      const answer = await this.#request(at, 'POST', sendableHeaders(headers), body, timedOut.signal)
      const { statusCode: status, headers: received } = answer
      return {
        status,
        headers: received,
        body: await beginningOf(answer.body, maxBytes, discardLimits.limit),
      }
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Refuses a URL that is never called: one that is not valid, or that contains an address of a network that is not allowed. A
   * host name may resolve to something else later, so it is checked when it is called.
   */
  requireCallable(url: string): void {
    const { hostname } = parseUrl(url)
    const address = literalAddress(hostname)
    if (address !== undefined && !this.#networks.has(address)) throw forbidden(hostname)
  }

  /** Aborts pending calls. */
  close(): Promise<void> {
    this.#closing.abort()
    return this.#agent.destroy()
  }

  /**
   * An upload follows no redirect, because its body is already consumed, and the caller intended it for the given URL
   * only.
   */
  async #upload(
    method: 'PUT' | 'POST',
    url: string,
    { content, ...parts }: UploadParts<Content>,
    { headers, contentLength, signal }: UploadOptions,
  ): Promise<void> {
    const at = parseUrl(url)
    const sent = sendableHeaders(headers)
    if (contentLength !== undefined) sent['content-length'] = String(contentLength)
    const answer =
      'sendTo' in content
        ? await this.#sendAlone(at, method, sent, { content, ...parts }, signal)
        : await this.#sendBody(at, method, sent, { content, ...parts }, signal)
    if (redirectTarget(at, answer))
      throw failed(at, 'it answered with a redirect, which an upload does not follow')
    if (!isSuccess(answer)) throw failed(at, `it answered ${answer.statusCode}`)
  }

  async #sendBody(
    url: URL,
    method: 'PUT' | 'POST',
    headers: Record<string, string>,
    parts: UploadParts,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const body = new UploadBody(parts)
    try {
      const answer = await this.#request(url, method, headers, body.content, signal)
      discard(answer)
      return answer
    } catch (error) {
      throw body.broken ?? error
    } finally {
      body.close()
    }
  }

  async #sendAlone(
    url: URL,
    method: 'PUT' | 'POST',
    headers: Record<string, string>,
    parts: UploadParts<Sendable>,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const until = AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])])
    const sending = { method, headers: { ...defaultHeaders, ...headers }, ...parts, signal: until }
    try {
      return await sendAlone(this.#connect, url, sending, { idleTimeoutMs, maxHeaderBytes })
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    }
  }

  async #request(
    url: URL,
    method: Dispatcher.HttpMethod,
    headers: Record<string, string>,
    body: Readable | Uint8Array | string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Dispatcher.ResponseData> {
    try {
      return await this.#agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { ...defaultHeaders, ...headers },
        ...(body && { body }),
        ...(signal && { signal }),
      })
    } catch (error) {
      signal?.throwIfAborted()
      throw error instanceof ApiError ? error : failed(url, error)
    }
  }
}

function parseUrl(url: string): URL {
  const at = URL.parse(url)
  if (!at || !/^https?:$/.test(at.protocol))
    throw new ApiError('outbound.INVALID', { message: 'The URL is not an http or https URL.' })
  if (at.username || at.password)
    throw new ApiError('outbound.INVALID', {
      message: `The URL at ${at.origin} contains a credential; send it in an Authorization header instead.`,
    })
  return at
}

function isSuccess({ statusCode = 0 }: Answer): boolean {
  return statusCode >= 200 && statusCode < 300
}

function discard({ body }: Dispatcher.ResponseData): void {
  const { limit, timeoutMs } = discardLimits
  body.dump({ limit, signal: AbortSignal.timeout(timeoutMs) }).catch(() => {})
}
