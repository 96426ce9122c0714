import { createHash } from 'node:crypto'
import 'reflect-metadata'
import { PemConverter, X509CertificateGenerator } from '@peculiar/x509'
import type { Certificate } from '../tls-contexts.ts'

/** A self-signed P-256 certificate, and the hash that a client pins. */
export async function testCertificate(): Promise<Certificate & { readonly hash: string }> {
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify'])
  const day = 24 * 60 * 60 * 1000
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=test',
    keys,
    signingAlgorithm,
    notBefore: new Date(Date.now() - day),
    notAfter: new Date(Date.now() + 10 * day),
  })
  const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  const hash = createHash('sha256').update(new Uint8Array(certificate.rawData)).digest('base64')
  return { cert: certificate.toString('pem'), key: PemConverter.encode(key, 'PRIVATE KEY'), hash }
}
