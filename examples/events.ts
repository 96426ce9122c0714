import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Sandbox, Sandglass } from 'sandglass'

/**
 * Creates a sandbox and deletes it, and returns what was heard of that in two ways: as a stream of events, and as calls of a webhook.
 * The service calls this host, so its operator has to allow that network (`SANDGLASS_OUTBOUND_PRIVATE`).
 */
export async function watchSandbox(client: Sandglass, shape?: string) {
  const called: string[] = []
  const webhookSecret = Promise.withResolvers<string>()
  const receiver = createServer(async (request, response) => {
    const body = await text(request)
    const isGenuine = await verify(await webhookSecret.promise, request.headers, body)
    if (isGenuine) called.push(JSON.parse(body).type)
    response.writeHead(isGenuine ? 204 : 400).end()
    receiver.emit('called')
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  const webhook = await client.createWebhook({ body: { url, types: ['sandbox.*'] } })
  webhookSecret.resolve(webhook.secret ?? '')
  try {
    const since = new Date().toISOString()
    const box = await Sandbox.create({ client, shape })
    await box.delete()
    const streamed: string[] = []
    for await (const { type, subject } of client.stream('listEvents', { types: 'sandbox.*', since })) {
      if (subject !== box.id) continue
      streamed.push(type)
      if (type === 'sandbox.deleted') break
    }
    while (!called.includes('sandbox.deleted')) await once(receiver, 'called')
    return { streamed, called }
  } finally {
    await client.deleteWebhook({ webhookId: webhook.id })
    receiver.close()
    receiver.closeAllConnections()
  }
}

/** Checks the signature of a message, as Standard Webhooks describes it. A library for that exists in most languages. */
async function verify(
  secret: string,
  headers: NodeJS.Dict<string | string[]>,
  body: string,
): Promise<boolean> {
  const raw = Uint8Array.from(atob(secret.replace('whsec_', '')), character => character.charCodeAt(0))
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  for (const entry of String(headers['webhook-signature']).split(' ')) {
    const signature = Uint8Array.from(atob(entry.replace('v1,', '')), character => character.charCodeAt(0))
    if (await crypto.subtle.verify('HMAC', key, signature, new TextEncoder().encode(signed))) return true
  }
  return false
}

if (import.meta.main) console.log(await watchSandbox(new Sandglass()))
