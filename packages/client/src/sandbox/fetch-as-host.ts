import { ConnectionError } from '../errors.ts'

const withoutBody = [204, 205, 304]

interface Modules {
  readonly http: typeof import('node:http')
  readonly stream: typeof import('node:stream')
}

/**
 * Fetches from a server under another name than the one that leads to it. `fetch` cannot, because it always sends the name of the
 * URL. Redirects are not followed.
 *
 * @param address where the server is; its path is requested
 * @param host the name that the server is asked for
 */
export async function fetchAsHost(address: URL, host: string, init: RequestInit): Promise<Response> {
  const { http, stream } = await modules()
  const { method, headers, body, signal } = new Request(address, init)
  return new Promise((resolve, reject) => {
    const sent = http.request(
      address,
      { method, headers: { ...Object.fromEntries(headers), host }, signal },
      answer => {
        const { statusCode: status = 502, statusMessage: statusText = '', rawHeaders } = answer
        const hasBody = method !== 'HEAD' && !withoutBody.includes(status)
        if (!hasBody) answer.resume()
        const content = hasBody ? (stream.Readable.toWeb(answer) as ReadableStream<Uint8Array>) : null
        resolve(new Response(content, { status, statusText, headers: headersOf(rawHeaders) }))
      },
    )
    sent.once('error', cause =>
      reject(
        signal.aborted
          ? signal.reason
          : new ConnectionError(`The connection to ${address.host} was lost.`, {
              code: 'client.DISCONNECTED',
              cause,
            }),
      ),
    )
    if (!body) sent.end()
    else body.pipeTo(stream.Writable.toWeb(sent)).catch(error => sent.destroy(error))
  })
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers()
  for (let at = 0; at < raw.length; at += 2) headers.append(raw[at] ?? '', raw[at + 1] ?? '')
  return headers
}

/** Hides the imports from bundlers, which would complain about modules that browsers do not have. */
async function modules(): Promise<Modules> {
  const [http, stream] = ['node:http', 'node:stream'] as const
  return { http: await import(/* @vite-ignore */ http), stream: await import(/* @vite-ignore */ stream) }
}
