import assert from 'node:assert/strict'
import { installFakeBrowser } from '../../../packages/server/src/modules/browsers/testing/fake-browser.ts'
import type { World } from './world.ts'

export async function browsers({ client, sandboxId, service }: World): Promise<void> {
  await installFakeBrowser(service, `~/sandboxes/${sandboxId}`)
  const { httpUrl } = await client.connectSandboxBrowser({ sandboxId, lifetimeSeconds: 60 })
  assert.equal((await fetch(`${httpUrl}/json/version`)).status, 200)
  await client.closeSandboxBrowser({ sandboxId })
  assert.equal((await fetch(`${httpUrl}/json/version`)).status, 401)
  const { wsUrl } = await client.startSandboxBrowser({ sandboxId, body: { locale: 'de-DE' } })
  assert.match(wsUrl, /^ws:/)
  await client.closeSandboxBrowser({ sandboxId })
}
