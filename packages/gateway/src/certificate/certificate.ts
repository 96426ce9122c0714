import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'

/** A self-signed certificate with its key, known to clients by its hash alone. */
export interface Certificate {
  /** PKCS #8 and X.509, in PEM. */
  readonly key: string
  readonly cert: string
  /** SHA-256 of the certificate's DER: what `serverCertificateHashes` of WebTransport is compared with. */
  readonly hashBase64: string
  /** The first is 0, the next 1, and so on for as long as the data directory lasts. */
  readonly generation: number
  readonly madeAtMs: number
  readonly expiresAtMs: number
}

/** Certificates say that they are valid since a while, for clients whose clocks are slow. */
export const backdatedMs = 3_600_000

/** Reads a key and a certificate, one after the other in PEM; undefined where they are not a pair. */
export function readCertificate(pem: string, generation: number): Certificate | undefined {
  const cert = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/.exec(pem)?.[0]
  const key = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n?/.exec(pem)?.[0]
  if (!cert || !key) return undefined
  try {
    const parsed = new X509Certificate(cert)
    if (!parsed.checkPrivateKey(createPrivateKey(key))) return undefined
    return {
      key,
      cert,
      generation,
      hashBase64: createHash('sha256').update(parsed.raw).digest('base64'),
      madeAtMs: parsed.validFromDate.getTime() + backdatedMs,
      expiresAtMs: parsed.validToDate.getTime(),
    }
  } catch {
    return undefined
  }
}
