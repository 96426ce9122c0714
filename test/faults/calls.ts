import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { patienceMs } from '@sandglass/machines/testing'
import type { Credentials } from '../support/service-process.ts'

/** A call as its caller saw it. */
export interface Call {
  readonly what: string
  readonly beganAtMs: number
  readonly tookMs: number
  /** 0 if the connection broke; `hung` if no response came within the tests' timeout. */
  readonly status: number | 'hung'
  readonly code: string | undefined
}

export interface Answer {
  readonly status: Call['status']
  readonly bytes: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: what a test looks into, it knows the shape of.
  readonly body: any
}

export interface Asked {
  /** Names the call in reports, such as `createProject`. */
  readonly what: string
  readonly method: string
  /** `~` stands for the path of the organization; a full URL is called as it is. */
  readonly path: string
  readonly json?: unknown
  readonly bytes?: Buffer
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the audit log must contain the call if it succeeds. */
  readonly isAudited?: boolean
}

/**
 * Calls a service with a timeout per call, and records the outcome of each and which of them the audit log must
 * contain.
 */
export class Calls {
  readonly #caller: { readonly credentials: Credentials }
  readonly made: Call[] = []
  /** The ids of requests that succeeded and belong in the audit log. */
  readonly audited: string[] = []

  /** The credentials are read for each call, because a restarted service may have another address. */
  constructor(caller: { readonly credentials: Credentials }) {
    this.#caller = caller
  }

  async ask(asked: Asked): Promise<Answer> {
    const beganAtMs = performance.now()
    const { status, bytes, requestId } = await this.#send(asked)
    const body = parse(bytes)
    const tookMs = performance.now() - beganAtMs
    const code = status === 200 ? undefined : body?.code
    this.made.push({ what: asked.what, beganAtMs, tookMs, status, code })
    if (asked.isAudited && status === 200 && requestId) this.audited.push(requestId)
    return { status, bytes, body }
  }

  /** Uses Node's client, since `fetch` does not allow a request to set the Host of a mapped port. */
  async #send({ method, path, json, bytes, headers }: Asked): Promise<Sent> {
    const { url, orgId, apiKey } = this.#caller.credentials
    const sent = json === undefined ? bytes : Buffer.from(JSON.stringify(json))
    const target = path.startsWith('http') ? path : `${url}${path.replace(/^~/, `/api/orgs/${orgId}`)}`
    const signal = AbortSignal.timeout(patienceMs)
    // Each call has its own connection, so that none fails because of another. It is kept alive as clients do, because a
    // server that closes it while the rest of a refused body is on its way would take the response along.
    const agent = new Agent({ keepAlive: true })
    try {
      return await new Promise((resolve, reject) => {
        const outgoing = request(target, {
          method,
          signal,
          agent,
          headers: {
            'x-api-key': apiKey,
            'content-length': String(sent?.length ?? 0),
            ...(json !== undefined && { 'content-type': 'application/json' }),
            ...headers,
          },
        })
        outgoing.on('error', reject).on('response', response => {
          const requestId = String(response.headers['x-request-id'] ?? '')
          const status = response.statusCode ?? 0
          buffer(response).then(received => resolve({ status, bytes: received, requestId }), reject)
        })
        outgoing.end(sent)
      })
    } catch {
      return { status: signal.aborted ? 'hung' : 0, bytes: Buffer.alloc(0), requestId: undefined }
    } finally {
      agent.destroy()
    }
  }
}

interface Sent {
  readonly status: Call['status']
  readonly bytes: Buffer
  readonly requestId: string | undefined
}

function parse(bytes: Buffer) {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}
