import { once } from 'node:events'
import { connect } from 'node:net'
import { WebSocket } from 'ws'
import { median, p99 } from '../row.ts'
import { proxyOffset, tcpPorts } from './tcp-programs.ts'

/** The figures of one way to the programs of tcp-programs.ts, as JSON on stdout. Without an address, through the bare proxy. */
export interface TunnelLoad {
  readonly inMBs: number
  readonly outMBs: number
  readonly roundTripMs: number
  readonly roundTripP99Ms: number
}

const bytes = 128 * 1024 * 1024
const piece = Buffer.alloc(64 * 1024)
const roundTrips = 2000
const [url, key = ''] = process.argv.slice(2)

/** A connection, whatever carries it. An empty piece is its end. */
interface Connection {
  send(data: Buffer): Promise<void>
  end(): void
  onData: (data: Buffer) => void
  close(): void
}

async function open(name: keyof typeof tcpPorts): Promise<Connection> {
  return url === undefined
    ? await openTcp(tcpPorts[name] + proxyOffset)
    : await openTunnel(`${url}/${tcpPorts[name]}`)
}

async function openTunnel(address: string): Promise<Connection> {
  const socket = new WebSocket(address, { headers: { 'x-api-key': key }, perMessageDeflate: false })
  const connection: Connection = {
    send: data =>
      new Promise((resolve, reject) => socket.send(data, error => (error ? reject(error) : resolve()))),
    end: () => socket.send(Buffer.alloc(0)),
    onData: () => {},
    close: () => socket.close(),
  }
  socket.on('message', (data: Buffer) => connection.onData(data))
  await once(socket, 'open')
  return connection
}

async function openTcp(port: number): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  const connection: Connection = {
    send: async data => {
      if (!socket.write(data)) await once(socket, 'drain')
    },
    end: () => void socket.end(),
    onData: () => {},
    close: () => void socket.destroy(),
  }
  socket.on('data', data => connection.onData(data))
  socket.on('end', () => connection.onData(Buffer.alloc(0)))
  await once(socket, 'connect')
  return connection
}

const megabytesPerSecond = (sinceMs: number) => bytes / 1000 / (performance.now() - sinceMs)

async function measureIn(): Promise<number> {
  const connection = await open('sink')
  const counted = new Promise<string>(resolve => {
    connection.onData = data => resolve(data.toString())
  })
  const from = performance.now()
  for (let left = bytes; left > 0; left -= piece.length) await connection.send(piece)
  connection.end()
  if (Number(await counted) !== bytes) throw new Error('not everything arrived')
  const speed = megabytesPerSecond(from)
  connection.close()
  return speed
}

async function measureOut(): Promise<number> {
  const connection = await open('source')
  let left = bytes
  const all = new Promise<void>(resolve => {
    connection.onData = data => {
      left -= data.length
      if (left === 0) resolve()
    }
  })
  const from = performance.now()
  await connection.send(Buffer.from(String(bytes)))
  await all
  const speed = megabytesPerSecond(from)
  connection.close()
  return speed
}

async function measureRoundTrips(): Promise<number[]> {
  const connection = await open('echo')
  const took: number[] = []
  for (let count = 0; count < roundTrips; count++) {
    const from = performance.now()
    const echoed = new Promise<void>(resolve => {
      connection.onData = () => resolve()
    })
    await connection.send(Buffer.from('a question of 24 bytes..'))
    await echoed
    took.push(performance.now() - from)
  }
  connection.close()
  return took
}

const [inMBs, outMBs] = [await measureIn(), await measureOut()]
const took = await measureRoundTrips()
const load: TunnelLoad = { inMBs, outMBs, roundTripMs: median(took), roundTripP99Ms: p99(took) }
console.log(JSON.stringify(load))
