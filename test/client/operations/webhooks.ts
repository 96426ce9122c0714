import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { waitFor } from '@sandglass/machines/testing'
import type { World } from './world.ts'

export async function webhooks({ client }: World): Promise<void> {
  let received = 0
  const receiver = createServer((_request, response) => {
    received++
    response.end()
  }).listen(0, '127.0.0.1')
  try {
    await once(receiver, 'listening')
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const { id: webhookId, secret } = await client.createWebhook({ body: { url, types: ['webhook.test'] } })
    assert.ok((await client.listWebhooks()).some(({ id }) => id === webhookId))
    assert.equal(
      (await client.updateWebhook({ webhookId, body: { description: 'mine' } })).description,
      'mine',
    )
    assert.equal((await client.getWebhook({ webhookId })).description, 'mine')
    const { id: deliveryId } = await client.testWebhook({ webhookId })
    const statusOf = async () => (await client.getWebhookDelivery({ webhookId, deliveryId })).status
    await waitFor(async () => (await statusOf()) === 'delivered')
    await client.redeliverWebhookDelivery({ webhookId, deliveryId })
    await waitFor(async () => received >= 2)
    const deliveries = await Array.fromAsync(client.all('listWebhookDeliveries', { webhookId }))
    assert.ok(deliveries.some(({ id }) => id === deliveryId))
    assert.notEqual((await client.rotateWebhookSecret({ webhookId })).secret, secret)
    await client.deleteWebhook({ webhookId })
    assert.deepEqual(await client.listWebhooks(), [])
  } finally {
    receiver.close()
    receiver.closeAllConnections()
  }
}
