import { ConnectionError, type SandglassError, WrongServiceError } from './errors.ts'

/** Codes of connections that were never made, of Node and Bun. */
const neverSent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/
/** Codes of connections that TLS has refused. */
const untrusted = /CERT|^ERR_TLS|^UNABLE_TO_|SELF_SIGNED/
/** What answered speaks another protocol, such as HTTP in place of HTTPS. */
const unspoken = /^HPE_|^ERR_SSL|^EPROTO$|^UND_ERR_HTTP_PARSER$/

interface Failed {
  readonly code?: unknown
  readonly syscall?: unknown
}

/** Makes an error of a request for which `fetch` got no answer. */
export function connectionFailure(url: string, cause: unknown): SandglassError {
  const { code: given, syscall } = detailsOf(cause)
  const code = typeof given === 'string' ? given : ''
  if (untrusted.test(code))
    return new ConnectionError(
      `The certificate of ${url} is not trusted (${code}). Check the URL (SANDGLASS_URL), or trust the authority that has ` +
        'signed it (in Node: NODE_EXTRA_CA_CERTS).',
      { code: 'client.UNTRUSTED', cause },
    )
  if (unspoken.test(code))
    return new WrongServiceError(
      `What answers at ${url} does not speak the protocol of this URL (${code}). Check whether it is http or https.`,
      { code: 'client.WRONG_SERVICE', cause },
    )
  if (code === 'ENOTFOUND')
    return new ConnectionError(
      `No host is known by the name in ${url}. Check the URL of the service (SANDGLASS_URL).`,
      { code: 'client.NOT_SENT', cause },
    )
  if (neverSent.test(code) || syscall === 'connect')
    return new ConnectionError(
      `Nothing answers at ${url} (${code}). Check that the service runs (npm start), and that the URL (SANDGLASS_URL) is right.`,
      { code: 'client.NOT_SENT', cause },
    )
  return disconnected(`The connection to ${url} was lost${code && ` (${code})`}`, cause)
}

/** The answer has begun, and has not come to its end. */
export function incomplete(url: string, cause: unknown): ConnectionError {
  return disconnected(`The connection to ${url} ended before the answer was complete`, cause)
}

function disconnected(what: string, cause: unknown): ConnectionError {
  return new ConnectionError(`${what}. The service may have done what it was told.`, {
    code: 'client.DISCONNECTED',
    cause,
  })
}

/** Node puts what has happened below the error of `fetch`; others put it into that error. */
function detailsOf(error: unknown): Failed {
  const { cause, code, syscall } = (error ?? {}) as Failed & { readonly cause?: unknown }
  return code === undefined && typeof cause === 'object' && cause !== null
    ? detailsOf(cause)
    : { code, syscall }
}
