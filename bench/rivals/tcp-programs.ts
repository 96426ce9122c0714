import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/**
 * What a tunnel is measured with, all on loopback: a program that echoes, one that sends as much as it is asked for, one that
 * counts what it gets, and a bare TCP proxy in front of each of them.
 */
export const tcpPorts = { echo: 3010, source: 3011, sink: 3012 } as const
export const proxyOffset = 10

async function source(peer: Socket): Promise<void> {
  const [line] = await once(peer, 'data')
  const piece = Buffer.alloc(256 * 1024)
  for (let left = Number(line); left > 0; left -= piece.length)
    if (!peer.write(piece)) await once(peer, 'drain')
  peer.end()
}

function sink(peer: Socket): void {
  let count = 0
  peer.on('data', piece => {
    count += piece.length
  })
  peer.on('end', () => peer.end(String(count)))
}

function proxyTo(port: number): (peer: Socket) => void {
  return peer => {
    const target = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    target.on('error', () => peer.destroy())
    peer.pipe(target).pipe(peer)
  }
}

function listen(port: number, serve: (peer: Socket) => unknown): Promise<unknown> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, peer => {
    peer.on('error', () => {})
    serve(peer)
  })
  return once(server.listen(port, '127.0.0.1'), 'listening')
}

/** Runs as a script: the proxies if it is told so, and the programs otherwise. */
if (process.argv[1] === import.meta.filename) {
  if (process.argv[2] === 'proxy')
    for (const port of Object.values(tcpPorts)) await listen(port + proxyOffset, proxyTo(port))
  else {
    await listen(tcpPorts.echo, peer => peer.pipe(peer))
    await listen(tcpPorts.source, peer => void source(peer))
    await listen(tcpPorts.sink, sink)
  }
  console.log('listening')
}
