import type { Duplex } from 'node:stream'
import type { Channel } from '@sandglass/rpc'

/**
 * Passes the bytes of a connection on to a worker and back. When either side ends, the other gets what was sent before, and
 * then ends too. Resolves when both are closed.
 */
export async function joinConnection(connection: Duplex, channel: Channel): Promise<void> {
  const closed = [connection, channel].map(
    stream => new Promise<void>(resolve => stream.once('close', resolve)),
  )
  connection.on('error', () => {})
  connection.pipe(channel)
  channel.pipe(connection)
  // A device that does not close its side would keep the connection open.
  connection.once('finish', () => connection.destroy())
  connection.once('close', () => {
    if (connection.readableEnded) channel.resume()
    else channel.destroy(connection.errored ?? undefined)
  })
  channel.once('close', () => connection.destroy())
  if (connection.destroyed) channel.destroy()
  if (channel.destroyed) connection.destroy()
  await Promise.all(closed)
}
