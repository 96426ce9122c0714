import assert from 'node:assert/strict'
import { endpointOf } from './assistant.ts'
import type { TestService } from './test-service.ts'

export const revision = '2025-11-25'

/** One message of an event stream. */
export interface SessionEvent {
  readonly id: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of the messages that it reads.
  readonly message: any
}

/** An MCP session over plain HTTP. Each request can be sent to any process of the service. */
export class McpSession {
  readonly serverId: string
  readonly id: string
  readonly #apiKey: string

  private constructor(serverId: string, id: string, apiKey: string) {
    this.serverId = serverId
    this.id = id
    this.#apiKey = apiKey
  }

  static async begin(service: TestService, serverId: string): Promise<McpSession> {
    const { apiKey } = service.service.credentials
    const session = new McpSession(serverId, '', apiKey)
    const response = await session.fetch(service, 'POST', {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    })
    await response.text()
    const id = response.headers.get('mcp-session-id')
    assert.ok(id)
    return new McpSession(serverId, id, apiKey)
  }

  fetch(
    service: TestService,
    method: string,
    body?: object,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    return fetch(endpointOf(service, this.serverId), {
      method,
      headers: {
        'x-api-key': this.#apiKey,
        'content-type': 'application/json',
        'mcp-protocol-version': revision,
        accept: 'application/json, text/event-stream',
        ...(this.id !== '' && { 'mcp-session-id': this.id }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  }

  request(service: TestService, id: number, method: string, params: object = {}, signal?: AbortSignal) {
    return this.fetch(service, 'POST', { jsonrpc: '2.0', id, method, params }, {}, signal)
  }

  call(service: TestService, id: number, command: string, signal?: AbortSignal) {
    return this.request(service, id, 'tools/call', { name: 'shell', arguments: { command } }, signal)
  }
}

/** Yields the events of a response as they arrive. */
export async function* eventsOf(response: Response): AsyncGenerator<SessionEvent> {
  assert.equal(response.headers.get('content-type'), 'text/event-stream', await errorText(response))
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data === undefined) continue
      yield { id: /^id: (.*)$/m.exec(block)?.[1], message: data === '' ? undefined : JSON.parse(data) }
    }
  }
}

async function errorText(response: Response): Promise<string> {
  return response.ok ? '' : response.clone().text()
}

/** Returns the response to a request from the events of an HTTP response. */
export async function answerTo(id: number, response: Response) {
  for await (const { message } of eventsOf(response)) if (message?.id === id) return message
  assert.fail(`the stream ended without the answer to ${id}`)
}
