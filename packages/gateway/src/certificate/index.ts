export type { Certificate } from './certificate.ts'
export { Certificates, type CertificatesOptions } from './certificates.ts'
