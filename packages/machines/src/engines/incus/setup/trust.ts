import { X509Certificate } from 'node:crypto'
import { unlessMissing } from './missing.ts'
import type { SetupContext } from './setup-context.ts'

/** Lets whoever has the key of a certificate use the cluster as root. */
export async function ensureTrusted({ incus, tell }: SetupContext, pem: string): Promise<void> {
  const certificate = new X509Certificate(pem)
  const fingerprint = certificate.fingerprint256.replaceAll(':', '').toLowerCase()
  if (await unlessMissing(incus.get(`/certificates/${fingerprint}`)))
    return tell('The cluster trusts the certificate of the service.')
  await incus.send('POST', '/certificates', {
    name: 'sandglass',
    type: 'client',
    certificate: certificate.raw.toString('base64'),
    description: 'The Sandglass service.',
  })
  tell('The cluster trusts the certificate of the service from now on.')
}
