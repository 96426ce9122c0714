import { type Dialable, guestPool } from '@sandglass/mappings'
import { ApiError } from '@sandglass/protocol'
import type { Pool } from 'undici'

const answerMs = 20_000
/** The description of the whole protocol, which is the longest answer, has about 2 MiB. */
const maxAnswerBytes = 16 * 1024 * 1024

/** An answer of a browser, as it came. */
export interface PortAnswer {
  readonly status: number
  readonly body: string
}

/** The debugging port of a browser in a machine. It answers only to a Host that is its own address. */
export class DebuggingPort implements AsyncDisposable {
  readonly host: string
  readonly pool: Pool

  constructor(machine: Dialable, port: number) {
    this.host = `127.0.0.1:${port}`
    this.pool = guestPool(machine, this.host, {
      connections: 1,
      headersTimeout: answerMs,
      bodyTimeout: answerMs,
      maxResponseSize: maxAnswerBytes,
    })
  }

  async ask(method: 'GET' | 'PUT', path: string): Promise<PortAnswer> {
    try {
      const signal = AbortSignal.timeout(answerMs)
      const { statusCode, body } = await this.pool.request({
        method,
        path,
        headers: { host: this.host },
        signal,
      })
      return { status: statusCode, body: await body.text() }
    } catch (error) {
      throw faultOf(error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pool.destroy()
  }
}

/** Explains why a browser has not answered. */
export function faultOf(cause: unknown): ApiError {
  return new ApiError('browser.FAILED', { message: 'The browser of the sandbox does not answer.', cause })
}
