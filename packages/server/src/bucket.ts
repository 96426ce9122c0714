import { createHash } from 'node:crypto'
import { ApiError } from '@sandglass/protocol'
import { AwsClient } from 'aws4fetch'

export interface BucketAddress {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const timeoutMs = 30_000
const retries = 3

/** The few operations of S3 that are needed. It uses path-style URLs, which every S3-compatible storage accepts. */
export class Bucket {
  readonly #client: AwsClient
  readonly #url: string
  readonly #of: string

  /** @param of what is stored in it, for messages */
  constructor({ endpoint, bucket, region, accessKeyId, secretAccessKey }: BucketAddress, of = 'screenshot') {
    this.#client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries })
    this.#of = of
    this.#url = `${endpoint}/${encodeURIComponent(bucket)}`
  }

  /** Returns the size of an object, or undefined if there is none. */
  async sizeOf(key: string): Promise<number | undefined> {
    const { ok, headers } = await this.#send('HEAD', `/${key}`)
    return ok ? Number(headers.get('content-length')) : undefined
  }

  async get(key: string): Promise<Response | undefined> {
    const response = await this.#send('GET', `/${key}`)
    if (response.ok) return response
    await response.body?.cancel()
    return undefined
  }

  async put(key: string, body: Uint8Array<ArrayBuffer>, type: string): Promise<void> {
    const hash = createHash('sha256').update(body).digest('hex')
    await this.#send('PUT', `/${key}`, {
      body,
      headers: { 'content-type': type, 'x-amz-content-sha256': hash },
    })
  }

  async delete(key: string): Promise<void> {
    await this.#send('DELETE', `/${key}`)
  }

  /**
   * Yields the keys with a prefix in order, reading one page at a time. Our keys need no escaping in XML, so a
   * regular expression finds them. Keys of a different form are skipped.
   */
  async *list(prefix: string): AsyncGenerator<string> {
    let after = ''
    for (;;) {
      const query = new URLSearchParams({ 'list-type': '2', prefix, ...(after && { 'start-after': after }) })
      const response = await this.#send('GET', `?${query}`)
      const text = await response.text()
      if (!response.ok) throw this.#unavailable(`it answers ${response.status} when asked for a list`)
      const keys = Array.from(text.matchAll(/<Key>([\w./-]+)<\/Key>/g), ([, key = '']) => key)
      yield* keys
      after = keys.at(-1) ?? ''
      if (!after || !text.includes('<IsTruncated>true</IsTruncated>')) return
    }
  }

  /**
   * Any response other than success and "not found" is reported as a failure of the storage, because it is not the
   * caller's fault.
   */
  async #send(
    method: string,
    path: string,
    init: Pick<RequestInit, 'body' | 'headers'> = {},
  ): Promise<Response> {
    const options = { ...init, method, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) } as const
    const response = await this.#client.fetch(this.#url + path, options).catch(cause => {
      throw this.#unavailable('it does not answer', cause)
    })
    const { ok, status } = response
    if (ok || (status === 404 && method !== 'PUT')) return response
    await response.body?.cancel()
    throw this.#unavailable(`it answers ${status} to a ${method}`)
  }

  #unavailable(problem: string, cause?: unknown): ApiError {
    return new ApiError('service.UNAVAILABLE', {
      message: `The ${this.#of} storage is not available: ${problem}.`,
      retryAfter: 5,
      cause,
    })
  }
}
