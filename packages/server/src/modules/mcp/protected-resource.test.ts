import assert from 'node:assert/strict'
import { test } from 'node:test'
import { madeServer } from '../../testing/assistant.ts'
import { startTestService } from '../../testing/test-service.ts'

test('if an issuer is set, a caller without a token is told which issuer to get one from', async () => {
  const service = await startTestService({
    SANDGLASS_OIDC_ISSUER: 'https://issuer.example',
    SANDGLASS_OIDC_AUDIENCE: 'sandglass',
  })
  const server = await madeServer(service, { sandboxShape: 'linux-desktop' })
  const { url } = service.service
  const path = `/api/mcp/${server.id}`
  const refused = await service.post(path, {}, { key: null })
  assert.equal(refused.status, 401)
  const metadata = `/.well-known/oauth-protected-resource${path}`
  assert.equal(
    refused.headers.get('www-authenticate'),
    `Bearer realm="sandglass", resource_metadata="${url}${metadata}"`,
  )
  const { status, body } = await service.get(metadata, { key: null })
  assert.equal(status, 200)
  assert.equal(body.resource, `${url}${path}`)
  assert.deepEqual(body.authorization_servers, ['https://issuer.example'])
})

test('without an issuer there is no such document', async () => {
  const service = await startTestService()
  const { status } = await service.get('/.well-known/oauth-protected-resource/api/mcp/x', { key: null })
  assert.equal(status, 404)
})
