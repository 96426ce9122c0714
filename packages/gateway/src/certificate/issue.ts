// The dependencies of @peculiar/x509 require this import to come first.
import 'reflect-metadata'
import { randomBytes } from 'node:crypto'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { backdatedMs } from './certificate.ts'
import { validMs } from './timeline.ts'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/**
 * Issues a key and a certificate that browsers accept by its hash: X.509v3, ECDSA on P-256, valid for at most 14 days
 * (https://www.w3.org/TR/webtransport/#custom-certificate-requirements). Returns both in PEM, the key first.
 */
export async function issueCertificate(nowMs: number): Promise<string> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const notBefore = new Date(nowMs - backdatedMs)
  const certificate = await X509CertificateGenerator.createSelfSigned({
    // RFC 5280 requires a positive number.
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    name: 'CN=Sandglass',
    notBefore,
    notAfter: new Date(notBefore.getTime() + validMs),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }]),
    ],
  })
  const key = PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
  return `${key}\n${certificate.toString('pem')}\n`
}
