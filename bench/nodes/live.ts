import { dialWebSocket, LiveClient } from '@sandglass/gateway/testing'
import { channel, encodeStatistics, FrameStream, parseStatistics } from '@sandglass/wire/frames'
import type { Row } from '../row.ts'
import type { BenchSandbox } from '../service.ts'
import { besideOwner } from './beside-owner.ts'
import type { Nodes } from './setting.ts'

/** The pause keeps the pings below the rate limit of a room, which is 20 such frames per second per viewer. */
const rounds = { rounds: 150, warmUps: 50, pauseMs: 30 }

/** Measures the round trip of a ping to the room over a WebSocket to either process. */
export async function liveRows({ owner, frontUrl }: Nodes, sandbox: BenchSandbox): Promise<Row[]> {
  const { roomId, endUserToken = '' } = await owner.client.createLiveToken({
    sandboxId: sandbox.id,
    body: { scope: ['view'] },
  })
  const enter = async (url: string) => {
    const client = new LiveClient(await dialWebSocket(`${url.replace('http', 'ws')}/live`))
    const viewer = pinging(client)
    client.hello({ room: roomId, token: endUserToken })
    await client.message('lease')
    return viewer
  }
  const [through, direct] = [await enter(frontUrl), await enter(owner.url)]
  const rows = await besideOwner('a round trip of the live view', through.ping, direct.ping, rounds)
  for (const { client } of [through, direct]) client.close()
  return rows
}

function pinging(client: LiveClient): { client: LiveClient; ping: () => Promise<void> } {
  let answered = () => {}
  let number = 0
  const frames = new FrameStream()
  client.stream.on('data', (chunk: Uint8Array) => {
    for (const frame of frames.receive(chunk)) {
      if (frame.channel !== channel.statistics) continue
      const { type, number: echoed } = parseStatistics(frame)
      if (type === 'pong' && echoed === number) answered()
    }
  })
  const ping = () =>
    new Promise<void>(resolve => {
      answered = resolve
      client.stream.write(encodeStatistics({ type: 'ping', number: ++number }))
    })
  return { client, ping }
}
