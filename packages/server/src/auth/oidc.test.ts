import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { endpointOf, madeServer } from '../testing/assistant.ts'
import { revision } from '../testing/mcp-session.ts'
import { startTestService } from '../testing/test-service.ts'

const { publicKey, privateKey } = await generateKeyPair('EdDSA')
const otherKeyPair = await generateKeyPair('EdDSA')

const issuerServer = createServer((request, response) => {
  response.setHeader('content-type', 'application/json')
  if (request.url === '/.well-known/openid-configuration')
    response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }))
  else exportJWK(publicKey).then(key => response.end(JSON.stringify({ keys: [{ ...key, alg: 'EdDSA' }] })))
})
await new Promise<void>(resolve => issuerServer.listen(0, '127.0.0.1', resolve))
const issuer = `http://127.0.0.1:${(issuerServer.address() as AddressInfo).port}`
after(() => issuerServer.close())

const service = await startTestService({
  SANDGLASS_OIDC_ISSUER: issuer,
  SANDGLASS_OIDC_AUDIENCE: 'sandglass',
})

interface Variation {
  audience?: string
  expires?: string
  key?: typeof privateKey
  claims?: Record<string, unknown>
}

async function signToken({
  audience = 'sandglass',
  expires = '5m',
  key = privateKey,
  claims,
}: Variation = {}) {
  return new SignJWT({ sandglass_org: service.orgId, sandglass_role: 'admin', ...claims })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setSubject('ada')
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime(expires)
    .sign(key)
}

async function callWith(token: string, method = 'GET', path = '~/stats', body?: unknown) {
  return service.call(method, path, { key: null, headers: { authorization: `Bearer ${token}` }, body })
}

test('a bearer token acts with the organization and the role in its claims', async () => {
  const token = await signToken()
  assert.equal((await callWith(token)).status, 200)
  const made = await callWith(token, 'POST', '~/projects', { name: 'by Ada' })
  assert.equal(made.status, 200)
  const { body } = await service.get(`~/audit-log?target=${made.body.id}`)
  assert.deepEqual(body.entries[0].actor, { kind: 'user', id: 'ada' })
  assert.equal((await callWith(token, 'GET', '~/audit-log')).status, 403)
})

test('a token without a role is a viewer', async () => {
  const token = await signToken({ claims: { sandglass_role: undefined } })
  assert.equal((await callWith(token)).status, 200)
  assert.equal((await callWith(token, 'POST', '~/projects', { name: 'no' })).status, 403)
})

const refused: Record<string, Variation> = {
  'for another audience': { audience: 'somebody-else' },
  'that has expired': { expires: '-1m' },
  'signed with another key': { key: otherKeyPair.privateKey },
  'of an organization that does not exist': { claims: { sandglass_org: 'nobody' } },
  'with a role that does not exist': { claims: { sandglass_role: 'emperor' } },
  'without an organization': { claims: { sandglass_org: undefined } },
}

for (const [name, variation] of Object.entries(refused))
  test(`a token ${name} is refused`, async () => {
    const { status, body } = await callWith(await signToken(variation))
    assert.deepEqual([status, body.code], [401, 'auth.INVALID'])
  })

test('a token without a signature is refused', async () => {
  const [, payload] = (await signToken()).split('.')
  const header = Buffer.from('{"alg":"none"}').toString('base64url')
  assert.equal((await callWith(`${header}.${payload}.`)).status, 401)
})

test('a stream that was opened with a bearer token ends when the token expires', async () => {
  const { id } = await madeServer(service, { sandboxShape: 'linux-desktop' })
  const token = await signToken({ expires: '12s' })
  const ask = (method: string, headers: Record<string, string>, body?: object) =>
    fetch(endpointOf(service, id), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': revision,
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const begun = await ask('POST', {}, { jsonrpc: '2.0', id: 0, method: 'initialize', params })
  await begun.text()
  const stream = await ask('GET', { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' })
  assert.equal(stream.status, 200)
  await assert.rejects(stream.text())
  assert.equal((await callWith(token)).status, 401)
})
