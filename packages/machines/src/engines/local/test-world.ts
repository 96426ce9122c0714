import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { runCommand } from './host/run-command.ts'
import { ip, nft } from './network/namespaces.ts'

/** Addresses of a small internet behind the uplink, in namespaces of the test. */
export const world = {
  web: '203.0.113.10',
  privateWeb: '10.77.0.5',
  metadata: '169.254.169.254',
  resolver: '10.77.0.53',
  /** The address of the namespace that stands in for the host. */
  host: '172.31.255.1',
  /** Its public address, at which it publishes a port of `web`, as a container runtime does. */
  publicHost: '203.0.113.77',
  publishedPort: 9000,
} as const

/**
 * A server that listens on ports 80 and 8080 of every address, and answers DNS queries: names that start with `private`
 * with `privateWeb`, and all others with `web`. It accepts datagrams and connections on port 53.
 */
export const worldServer = `
const net = require('node:net'), dgram = require('node:dgram')
for (const port of [80, 8080]) net.createServer(s => s.on('error', () => {}).end('hello')).listen(port, '0.0.0.0')
const answer = q => {
  let end = 12
  while (q[end]) end += q[end] + 1
  const head = Buffer.from([q[0], q[1], 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])
  const type = q.readUInt16BE(end + 1)
  if (type !== 1) head[7] = 0
  const address = q.subarray(13, 20).toString() === 'private' ? '${world.privateWeb}' : '${world.web}'
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)])
  return Buffer.concat([head, q.subarray(12, end + 5), ...(type === 1 ? [record] : [])])
}
// Bound to its address, so that the answer comes from where the query was sent.
const names = dgram.createSocket('udp4')
names.on('message', (q, from) => names.send(answer(q), from.port, from.address))
if (process.argv[1] === 'names') net.createServer(s => s.on('error', () => {}).end('hello')).listen(53, '${world.resolver}')
names.bind(53, process.argv[1] === 'names' ? '${world.resolver}' : '127.0.0.1', () => console.log('up'))
`

export interface World {
  /** The namespace that stands in for the host; the uplink of the router ends there. */
  readonly netns: string
  dispose(): Promise<void>
}

export async function makeWorld(): Promise<World> {
  const name = `sgt-${randomBytes(4).toString('hex')}`
  const [host, far] = [`${name}-h`, `${name}-w`]
  const servers: ChildProcess[] = []
  const dispose = async () => {
    for (const child of servers) {
      if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
    }
    for (const netns of [host, far]) await runCommand('ip', ['netns', 'del', netns]).catch(() => {})
  }
  try {
    for (const netns of [host, far]) await runCommand('ip', ['netns', 'add', netns])
    await ip({ netns: host }, [
      'link set lo up',
      `link add far type veth peer name near netns ${far}`,
      `addr add ${world.host}/30 dev far`,
      `addr add ${world.publicHost}/32 dev lo`,
      'link set far up',
    ])
    const addresses = [world.web, world.privateWeb, world.metadata, world.resolver]
    // The far side has a route to the host only, so answers arrive only if the host translates addresses.
    await ip({ netns: far }, [
      'link set lo up',
      'addr add 172.31.255.2/30 dev near',
      'link set near up',
      ...addresses.map(address => `addr add ${address}/32 dev lo`),
    ])
    await ip(
      { netns: host },
      addresses.map(address => `route add ${address}/32 via 172.31.255.2`),
    )
    const published = `ip daddr ${world.publicHost} tcp dport ${world.publishedPort}`
    await nft(
      { netns: host },
      'table ip published { chain names { type nat hook prerouting priority dstnat;' +
        ` ${published} dnat to ${world.web}:80; }\n}\n`,
    )
    for (const [netns, role] of [
      [host, 'host'],
      [far, 'names'],
    ] as const) {
      const child = spawn('nsenter', [`--net=/run/netns/${netns}`, process.execPath, '-e', worldServer, role])
      servers.push(child)
      await once(child.stdout, 'data')
    }
    return { netns: host, dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}
