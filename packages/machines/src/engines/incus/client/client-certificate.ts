import { randomBytes } from 'node:crypto'

/** What identifies a client to a cluster, in PEM. */
export interface ClientCertificate {
  readonly certificate: string
  readonly key: string
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' }
/** Incus trusts the certificate itself until it is removed, so that it need not expire soon. */
const validYears = 10
/** For members whose clocks are slow. */
const backdatedMs = 3_600_000

/** Makes a certificate, signed by itself, and its key. */
export async function makeClientCertificate(name: string): Promise<ClientCertificate> {
  // Load them only now, because they are hundreds of modules, for which every start of a service would wait. The
  // dependencies of @peculiar/x509 require that the first one comes first.
  await import('reflect-metadata')
  const {
    BasicConstraintsExtension,
    ExtendedKeyUsage,
    ExtendedKeyUsageExtension,
    KeyUsageFlags,
    KeyUsagesExtension,
    Name,
    PemConverter,
    X509CertificateGenerator,
  } = await import('@peculiar/x509')
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const notBefore = new Date(Date.now() - backdatedMs)
  const notAfter = new Date(notBefore)
  notAfter.setFullYear(notAfter.getFullYear() + validYears)
  const certificate = await X509CertificateGenerator.createSelfSigned({
    // RFC 5280 requires a positive number.
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    name: new Name([{ CN: [name] }]),
    notBefore,
    notAfter,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth, ExtendedKeyUsage.serverAuth]),
    ],
  })
  const key = PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
  return { certificate: `${certificate.toString('pem')}\n`, key: `${key}\n` }
}
