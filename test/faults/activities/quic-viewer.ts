import { waitFor } from '@sandglass/machines/testing'
import { LiveClient } from '../../../packages/gateway/src/testing/index.ts'
import { connectQuic } from '../../../packages/gateway/src/transports/quic/connect-quic.ts'
import type { World } from '../world.ts'
import type { Activity } from './activity.ts'
import { connectDetailsOf } from './viewer.ts'

/** Long enough for a connection on a busy box. A connection that a stopped relay never accepts is abandoned. */
const giveUpMs = 20_000

/** A viewer that connects over QUIC and gets the screen. */
export async function quicViewer(world: World): Promise<Activity> {
  const isAlive = async () => {
    const connect = await connectDetailsOf(world)
    const way = connect?.gatewayAddresses.find(
      ({ gatewayType }: { gatewayType: string }) => gatewayType === 'QUIC',
    )
    if (!way) return false
    const abort = new AbortController()
    const late = setTimeout(() => abort.abort(), giveUpMs)
    try {
      const stream = await connectQuic({
        host: way.address,
        port: way.port,
        signal: abort.signal,
        certificateHashBase64: connect.certificateHashBase64,
      })
      const client = new LiveClient(stream)
      client.hello({ room: connect.roomId, token: connect.endUserToken })
      await client.until(() => client.canvas, giveUpMs)
      return true
    } catch {
      return false
    } finally {
      clearTimeout(late)
      abort.abort()
    }
  }
  await waitFor(isAlive)
  return { isAlive, end: async () => {} }
}
