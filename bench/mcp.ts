import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { buildImage } from '@sandglass/machines/images'
import { median, p95, type Row, row } from './row.ts'
import { type BenchSandbox, type BenchService, imagesDir, withService } from './service.ts'
import { timed } from './timed.ts'

const rounds = 100
/** Warm-up rounds, since a service that has run for a while has its code compiled. */
const warmUps = 50

/** The cost of MCP compared with the same calls over HTTP, alternating in one run, each with its usual client. */
export default async function bench(): Promise<Row[]> {
  await buildImage('minimal', { imagesDir, onProgress: console.error })
  return withService({}, async service => {
    const sandbox = await service.create()
    const server = await service.client.createMcpServer({ body: { name: 'bench', sandboxShape: 'bench' } })
    await service.client.setMcpServerToSandbox({ mcpServerId: server.id, body: { sandboxId: sandbox.id } })
    const rows: Row[] = []
    for (const [name, mode] of [
      ['MCP 2026-07-28', 'auto'],
      ['MCP 2025-11-25', 'legacy'],
    ] as const) {
      const client = await connected(service, server.id, mode)
      rows.push(...(await lists(name, service, client)), ...(await pictures(name, sandbox, client)))
      await client.close()
    }
    return rows
  })
}

async function connected(service: BenchService, serverId: string, mode: 'auto' | 'legacy'): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode } })
  const requestInit = { headers: service.headers }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${service.url}/api/mcp/${serverId}`), { requestInit }),
  )
  return client
}

function lists(name: string, service: BenchService, client: Client): Promise<Row[]> {
  return beside(
    `${name}: the tool list, more than listMcpServers`,
    async () => {},
    () => client.listTools({}, { cacheMode: 'bypass' }),
    () => service.client.listMcpServers(),
  )
}

/** Both end when the caller has the picture. The pointer moves in between, so that each picture is different. */
async function pictures(name: string, sandbox: BenchSandbox, client: Client): Promise<Row[]> {
  const overMcp = () => client.callTool({ name: 'computer-use', arguments: { action: 'screenShot' } })
  const overHttp = async () => {
    const { screenShot = '' } = await sandbox.act({ action: { type: 'screenshot' } })
    await (await fetch(screenShot)).arrayBuffer()
  }
  let moves = 0
  const move = async () => {
    const [x, y] = [100 + ((++moves * 37) % 900), 100 + ((moves * 23) % 500)]
    const action = { type: 'mouse:move', x: { type: 'px', value: x }, y: { type: 'px', value: y } }
    await sandbox.act({ action, includeScreenShot: false })
  }
  return [
    ...(await beside(
      `${name}: a picture of a screen that changed, more than over HTTP`,
      move,
      overMcp,
      overHttp,
    )),
    ...(await beside(
      `${name}: a picture of a screen at rest, more than over HTTP`,
      async () => {},
      overMcp,
      overHttp,
    )),
  ]
}

/** The difference of the medians and of the 95th percentiles. */
async function beside(
  name: string,
  before: () => Promise<unknown>,
  ours: () => Promise<unknown>,
  theirs: () => Promise<unknown>,
): Promise<Row[]> {
  const times = { ours: [] as number[], theirs: [] as number[] }
  for (let round = 0; round < warmUps + rounds; round++)
    // They take turns at going first.
    for (const who of round % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const)) {
      await before()
      const took = await timed(who === 'ours' ? ours : theirs)
      if (round >= warmUps) times[who].push(took)
    }
  return [
    row(`${name}, p50`, 'ms', median(times.ours), median(times.theirs)),
    row(`${name}, p95`, 'ms', p95(times.ours), p95(times.theirs)),
    row(`${name}, difference of p50`, 'ms', median(times.ours) - median(times.theirs)),
  ]
}
