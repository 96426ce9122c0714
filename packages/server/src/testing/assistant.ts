import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpServer } from '@sandglass/protocol'
import sharp from 'sharp'
import { z } from 'zod'
import { cleanup } from './cleanup.ts'
import type { TestService } from './test-service.ts'

const identity = { name: 'test', version: '1' }

/** Creates an MCP server with the small shape through the API. */
export async function madeServer(service: TestService, choices: object = {}): Promise<McpServer> {
  const { status, body, text } = await service.post('~/mcp-servers', {
    name: 'test',
    sandboxShape: 'small',
    ...choices,
  })
  assert.equal(status, 200, text)
  return McpServer.parse(body)
}

export function endpointOf(service: TestService, serverId: string): URL {
  return new URL(`${service.service.url}/api/mcp/${serverId}`)
}

function headersOf(service: TestService, key?: string): Record<string, string> {
  return { 'x-api-key': key ?? service.service.credentials.apiKey }
}

export interface AssistantOptions {
  /** `legacy` uses only protocol revisions that have sessions. */
  readonly mode?: 'auto' | 'legacy'
  readonly key?: string
  readonly onToolsChanged?: () => void
}

/** Connects the official MCP client, which is closed after the tests. */
export async function assistant(
  service: TestService,
  serverId: string,
  { mode = 'auto', key, onToolsChanged }: AssistantOptions = {},
): Promise<Client> {
  const client = new Client(identity, {
    versionNegotiation: { mode },
    ...(onToolsChanged && {
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
    }),
  })
  const requestInit = { headers: headersOf(service, key) }
  await client.connect(new StreamableHTTPClientTransport(endpointOf(service, serverId), { requestInit }))
  cleanup.defer(() => client.close())
  return client
}

/** Connects version 1.x of the official client. */
export async function olderAssistant(service: TestService, serverId: string): Promise<OlderClient> {
  const client = new OlderClient(identity)
  const requestInit = { headers: headersOf(service) }
  await client.connect(new OlderTransport(endpointOf(service, serverId), { requestInit }))
  cleanup.defer(() => client.close())
  return client
}

/** The parts of a result of either client that tests use. */
const Result = z.object({
  isError: z.boolean().default(false),
  content: z.array(
    z.object({
      type: z.string(),
      text: z.string().optional(),
      data: z.string().optional(),
      mimeType: z.string().optional(),
    }),
  ),
  structuredContent: z.record(z.string(), z.unknown()).default({}),
})
export type Result = z.infer<typeof Result>

/** Calls a tool with either client. */
export async function use(client: Client | OlderClient, name: string, args: object = {}): Promise<Result> {
  return Result.parse(await client.callTool({ name, arguments: { ...args } }))
}

/** Calls a tool, and fails the test if the result is an error. */
export async function succeed(
  client: Client | OlderClient,
  name: string,
  args: object = {},
): Promise<Result> {
  const result = await use(client, name, args)
  assert.ok(!result.isError, textOf(result))
  return result
}

/** Joins the text contents of a result. */
export function textOf({ content }: Result): string {
  return content.flatMap(({ text }) => text ?? []).join('\n')
}

/** Decodes the image of a result, which must be its first content, to three bytes per pixel. */
export async function pixelsOf({ content: [image] }: Result) {
  assert.equal(image?.type, 'image')
  const { data, info } = await sharp(Buffer.from(image.data ?? '', 'base64'))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { mimeType: image.mimeType, width: info.width, height: info.height, data }
}
