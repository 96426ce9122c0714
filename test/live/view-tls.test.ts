import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { readCertificate } from '../../packages/gateway/src/certificate/certificate.ts'
import { issueCertificate } from '../../packages/gateway/src/certificate/issue.ts'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { connectDetails } from '../../packages/server/src/testing/live-viewer.ts'
import { runningSandbox } from '../../packages/server/src/testing/sandbox-programs.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { openBrowser } from '../support/browser.ts'
import { invite, openView, showsTheMachine } from './support/sandbox-view.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-tls-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))
const { key, cert } = readCertificate(await issueCertificate(Date.now()), 0) ?? assert.fail()
const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
await Promise.all([writeFile(keyFile, key), writeFile(certFile, cert)])
// This process trusts the service's certificate, as an operator's clients do. The browser ignores certificate errors.
setDefaultCACertificates([...getCACertificates(), cert])
const { service } = await startMachineService({
  env: { SANDGLASS_HOST: 'localhost', SANDGLASS_TLS_CERT: certFile, SANDGLASS_TLS_KEY: keyFile },
})
const sandbox = await runningSandbox(service)
const browser = await openBrowser({ ignoreHTTPSErrors: true })

test('with TLS the service lists a secure WebSocket, and the page uses it', async () => {
  const { gatewayAddresses } = await connectDetails(service, sandbox)
  const port = Number(new URL(service.service.url).port)
  assert.deepEqual(
    gatewayAddresses.map(({ address, gatewayType, port, path }) => ({ address, gatewayType, port, path })),
    [{ address: 'localhost', gatewayType: 'WEBSOCKET_SECURE', port, path: '/live' }],
  )
  const link = await invite(service, sandbox)
  assert.ok(link.startsWith(`https://localhost:${port}/view#`))
  const page = await openView(browser, link)
  await showsTheMachine(page, service, sandbox)
  await page.getByRole('button', { name: 'Take control' }).click()
  await page.getByText('You are in control').waitFor()
  await page.close()
})
