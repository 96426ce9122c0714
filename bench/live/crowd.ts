import { setTimeout } from 'node:timers/promises'
import { dialWebSocket, LiveClient } from '@sandglass/gateway/testing'
import type { Connect } from '@sandglass/protocol'
import { cpuPercent } from '../processor-time.ts'
import { type Row, row } from '../row.ts'
import type { BenchSandbox, BenchService } from '../service.ts'

const rooms = 20
/** The speed of a good typist. */
const keysPerSecond = 5
const measureMs = 10_000
const k = 0x6b

/** The CPU cost of typing in many rooms, each in a terminal. */
export async function typingCpu(service: BenchService): Promise<Row[]> {
  const typists = await Promise.all(
    Array.from({ length: rooms }, async () => {
      const sandbox = await service.create()
      const args = ['-c', 'xterm -geometry 80x24+100+100 >/dev/null 2>&1 &']
      await sandbox.client.execSandboxProcess({ sandboxId: sandbox.id, body: { executable: 'sh', args } })
      return enter(sandbox)
    }),
  )
  await setTimeout(3000)
  const typing = setInterval(() => {
    for (const typist of typists) {
      typist.do({ type: 'key', keysym: k, isDown: true })
      typist.do({ type: 'key', keysym: k, isDown: false })
    }
  }, 1000 / keysPerSecond)
  await setTimeout(1000)
  const percent = await cpuPercent(service.pid, measureMs)
  clearInterval(typing)
  for (const typist of typists) typist.close()
  return [row(`CPU of the service with ${rooms} rooms typing`, '% of a core', percent)]
}

async function enter(sandbox: BenchSandbox): Promise<LiveClient> {
  const { connectDetails } = await sandbox.client.getSandbox({ sandboxId: sandbox.id })
  const { gatewayAddresses, roomId, endUserToken }: Connect = connectDetails
  const way = gatewayAddresses.find(({ gatewayType }) => gatewayType === 'WEBSOCKET')
  if (!way) throw new Error('no WebSocket is listed')
  const client = new LiveClient(await dialWebSocket(`ws://${way.address}:${way.port}${way.path}`))
  client.hello({ room: roomId, token: endUserToken })
  await client.message('lease')
  await client.takeControl()
  return client
}
