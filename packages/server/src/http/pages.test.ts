import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../testing/test-service.ts'

test('only the configured origins can embed the page', async () => {
  const { service } = await startTestService({
    SANDGLASS_EMBED_ORIGINS: 'https://app.example.org, http://localhost:3000',
  })
  const { headers } = await fetch(`${service.url}/view`)
  assert.match(
    headers.get('content-security-policy') ?? '',
    /frame-ancestors 'self' https:\/\/app\.example\.org http:\/\/localhost:3000$/,
  )
})
