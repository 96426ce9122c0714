import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export interface S3Keys {
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Verifies the AWS Signature Version 4 of a request. Returns what is wrong with it, or undefined if it is valid. */
export function signatureProblem(
  { method = '', url = '', headers }: IncomingMessage,
  body: Buffer,
  { region, accessKeyId, secretAccessKey }: S3Keys,
): string | undefined {
  const pattern = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
  const [, credential, signed = '', signature] = pattern.exec(headers.authorization ?? '') ?? []
  const time = String(headers['x-amz-date'])
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  if (credential !== `${accessKeyId}/${scope}`) return 'the credential is another'
  const names = signed.split(';')
  for (const needed of ['host', 'x-amz-date', 'x-amz-content-sha256'])
    if (!names.includes(needed)) return `${needed} is not signed`
  const sent = headers['x-amz-content-sha256']
  if (sent !== sha256(body) && !(sent === 'UNSIGNED-PAYLOAD' && body.length === 0))
    return 'the body is another than the one that was signed'

  const { pathname, searchParams } = new URL(url, 'http://storage')
  const query = [...searchParams].map(pair => pair.map(encode).join('=')).sort()
  const lines = names.map(name => `${name}:${String(headers[name]).trim()}\n`)
  const request = [method, pathname, query.join('&'), lines.join(''), signed, sent].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n')
  const key = scope
    .split('/')
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey}`)
  return hmac(key, toSign).toString('hex') === signature ? undefined : 'the signature does not match'
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}

function hmac(key: string | Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest()
}
