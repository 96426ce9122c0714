import { createHash, X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContext } from 'node:tls'

/** A certificate and its key, in PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** A client names the certificate that it pins by so many bytes of its hash. */
export const certificateNameBytes = 8

/** The contexts of TLS for the certificates that are served, each made once. TLS 1.3 is the least and the most. */
export class TlsContexts {
  readonly #served: () => readonly Certificate[]
  #made = new Map<string, { name: string; context: SecureContext }>()

  constructor(served: () => readonly Certificate[]) {
    this.#served = served
  }

  named(name: Buffer): SecureContext | undefined {
    const wanted = name.toString('hex')
    const served = this.#served().map(certificate => this.#make(certificate))
    // Those that are served no more are forgotten.
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
