import { createHash, X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContext } from 'node:tls'

/** A certificate and its key, in PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** A client names the certificate that it pins by this many bytes of its hash. */
export const certificateNameBytes = 8

/** Caches one TLS context per served certificate. Only TLS 1.3 is allowed. */
export class TlsContexts {
  readonly #served: () => readonly Certificate[]
  #made = new Map<string, { name: string; context: SecureContext }>()

  constructor(served: () => readonly Certificate[]) {
    this.#served = served
  }

  named(name: Buffer): SecureContext | undefined {
    const wanted = name.toString('hex')
    const served = this.#served().map(certificate => this.#make(certificate))
    // Drop the contexts of certificates that are no longer served.
    this.#made = new Map(served.map(each => [each.cert, each]))
    return served.find(each => each.name === wanted)?.context
  }

  #make({ key, cert }: Certificate): { cert: string; name: string; context: SecureContext } {
    const made = this.#made.get(cert)
    if (made) return { ...made, cert }
    const { raw } = new X509Certificate(cert)
    const name = createHash('sha256')
      .update(raw)
      .digest('hex')
      .slice(0, 2 * certificateNameBytes)
    return { cert, name, context: createSecureContext({ key, cert, minVersion: 'TLSv1.3' }) }
  }
}
