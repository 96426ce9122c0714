import { createSecureContext, type SecureContext } from 'node:tls'

export interface Certificate {
  /** PEM. */
  readonly key: string
  /** PEM. */
  readonly cert: string
}

/** The context of the certificate that is current, made once for each. TLS 1.3 is the least and the most. */
export function contextOf(current: () => Certificate): () => SecureContext {
  let made: { of: Certificate; context: SecureContext } | undefined
  return () => {
    const of = current()
    if (made?.of.cert !== of.cert || made.of.key !== of.key)
      made = { of, context: createSecureContext({ key: of.key, cert: of.cert, minVersion: 'TLSv1.3' }) }
    return made.context
  }
}
