import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { createServer } from 'vite'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { resolveNamesToLoopback } from '../packages/server/src/testing/names.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'
import { temporaryFolder } from './support/service-process.ts'

resolveNamesToLoopback()

/** Starts a dev server as a person would, except for the port. It has no configuration for the gateway. */
async function startVite() {
  const root = await temporaryFolder()
  const main = (text: string) =>
    writeFile(join(root, 'main.js'), `console.log('${text}')\nimport.meta.hot.accept()\n`)
  await writeFile(join(root, 'index.html'), '<script type="module" src="/main.js"></script>')
  await main('before')
  const server = { port: 0, host: '127.0.0.1' }
  const vite = await createServer({ root, configFile: false, logLevel: 'silent', server })
  await vite.listen()
  cleanup.defer(() => vite.close())
  const address = vite.httpServer?.address()
  assert.ok(typeof address === 'object' && address)
  const dial = async () => {
    const socket = connect(address.port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }
  return { main, dial }
}

for (const domain of [undefined, 'apps.test'])
  test(`an unconfigured Vite dev server reloads through a mapping below ${domain ?? 'localhost'}`, async () => {
    const { main, dial } = await startVite()
    const env: Record<string, string> = domain === undefined ? {} : { SANDGLASS_MAPPING_DOMAIN: domain }
    const service = await startTestService(env, async () => paperEngines({ dial }))
    const { body: sandbox } = await service.post('~/sandboxes', { shape: 'linux-desktop' })
    await waitFor(
      async () => (await service.get(`~/sandboxes/${sandbox.id}/status`)).body.status === 'RUNNING',
    )
    const { body: mapping } = await service.post(`~/sandboxes/${sandbox.id}/mappings`, {
      targetEndpoint: 'localhost:5173',
    })
    const { port } = new URL(service.service.url)
    const host = domain === undefined ? mapping.domain : `${mapping.domain}:${port}`
    // What a browser would send after the page was opened with the token.
    const headers = { cookie: `sandglass-mapping=${mapping.accessToken}`, origin: `http://${host}` }
    const get = async (path: string) => {
      const answer = await fetch(`http://${host}${path}`, { headers })
      assert.equal(answer.status, 200, path)
      return answer.text()
    }
    assert.match(await get('/'), /src="\/@vite\/client"/)
    assert.match(await get('/main.js'), /before/)
    const token = /wsToken = "([^"]+)"/.exec(await get('/@vite/client'))?.[1]
    assert.ok(token)

    const options = { protocols: ['vite-hmr'], headers } as unknown as string[]
    const socket = new WebSocket(`ws://${host}/?token=${token}`, options)
    cleanup.defer(() => socket.close())
    const [{ data: hello }] = await once(socket, 'message')
    assert.deepEqual(JSON.parse(hello), { type: 'connected' })
    const messages: { type: string; updates?: { path: string }[] }[] = []
    socket.addEventListener('message', ({ data }) => messages.push(JSON.parse(data)))
    await main('after')
    await waitFor(async () =>
      messages.some(({ updates }) => updates?.some(({ path }) => path === '/main.js')),
    )
    assert.match(await get('/main.js'), /after/)
  })
