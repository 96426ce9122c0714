import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { startTestService } from '../testing/test-service.ts'
import { openTracing } from './tracing.ts'

test('nothing is traced unless an endpoint is configured', async () => {
  assert.equal(await openTracing({}, '1'), undefined)
  assert.equal(
    await openTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_SDK_DISABLED: 'true' }, '1'),
    undefined,
  )
})

test('a request reaches the collector as a span', async () => {
  const { promise: received, resolve } = Promise.withResolvers<string>()
  const collector = createServer(async (request, response) => {
    const body = JSON.stringify(await json(request))
    response.setHeader('content-type', 'application/json')
    response.end('{}')
    if (body.includes('/api/orgs/:orgId/stats')) resolve(body)
  })
  await new Promise<void>(listening => collector.listen(0, '127.0.0.1', listening))
  after(() => collector.close())
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = endpoint
  const service = await startTestService({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
  await service.get('~/stats')
  assert.match(await received, /"service\.name"[^}]*"sandglass"/)
})
