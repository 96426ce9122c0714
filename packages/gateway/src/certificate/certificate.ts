import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'

/** A self-signed certificate with its key. Clients recognize it only by its hash. */
export interface Certificate {
  /** PKCS #8 and X.509, in PEM. */
  readonly key: string
  readonly cert: string
  /** SHA-256 of the certificate's DER, which WebTransport compares with `serverCertificateHashes`. */
  readonly hashBase64: string
  /** Counts up from 0 for the lifetime of the data directory. */
  readonly generation: number
  readonly madeAtMs: number
  readonly expiresAtMs: number
}

/** How far certificates are backdated, for clients whose clocks are slow. */
export const backdatedMs = 3_600_000

/** Parses a key and a certificate in PEM; returns undefined if they do not belong together. */
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
