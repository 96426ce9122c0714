import type { LiveClient } from '../../../packages/gateway/src/testing/index.ts'
import { dialLive } from '../../../packages/server/src/testing/live-viewer.ts'
import type { JobWorld } from '../jobs/job-world.ts'

/** The connection details of the world's sandbox; undefined if the service does not respond. */
export async function connectDetailsOf(world: JobWorld) {
  const { status, body } = await world.ask({
    what: 'getSandbox',
    method: 'GET',
    path: `~/sandboxes/${world.sandboxId}`,
  })
  return status === 200 ? body.connectDetails : undefined
}

/** A viewer that accepts video; undefined if it was not admitted. */
export async function enterWithVideo(world: JobWorld): Promise<LiveClient | undefined> {
  const connect = await connectDetailsOf(world)
  if (!connect) return undefined
  const client = await dialLive(connect).catch(() => undefined)
  client?.hello({ room: connect.roomId, token: connect.endUserToken, video: true })
  return client
}

/** Whether a new viewer is admitted and gets the screen. */
export async function canWatch(world: JobWorld, timeoutMs?: number): Promise<boolean> {
  const client = await enterWithVideo(world)
  try {
    return (
      (await client?.until(() => client.canvas !== undefined || client.isClosed, timeoutMs)) === true &&
      !client?.isClosed
    )
  } finally {
    client?.close()
  }
}
