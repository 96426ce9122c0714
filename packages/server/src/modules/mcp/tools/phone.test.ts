import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assistant, madeServer, pixelsOf, succeed, textOf, use } from '../../../testing/assistant.ts'
import { startMachineService } from '../../../testing/test-machines.ts'

const { service } = await startMachineService({ hasPhone: true })

test('an assistant with a phone sees it, lists its apps, starts one and types', async () => {
  const server = await madeServer(service, { sandboxShape: 'phone' })
  const client = await assistant(service, server.id)
  const { tools } = await client.listTools()
  assert.deepEqual(tools.map(({ name }) => name).sort(), ['mobile-use', 'user-takeover'])
  const act = (args: object) => succeed(client, 'mobile-use', args)
  const { width, height } = await pixelsOf(await act({ action: 'screenShot' }))
  assert.equal((width / height).toFixed(2), (720 / 1280).toFixed(2))
  assert.match(textOf(await act({ action: 'listApps' })), /com\.sandglass\.notes/)
  await act({ action: 'startApp', text: 'contacts' })
  await act({ action: 'swipe', coordinate: [width / 2, height * 0.7], swipeDirection: 'up' })
  await act({ action: 'home' })
  const unknown = await use(client, 'mobile-use', { action: 'startApp', text: 'nothing of that name' })
  assert.match(textOf(unknown), /Notes \(com\.sandglass\.notes\)/)
})
