import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type Answering, answerQuery } from './answer.ts'
import type { Found, FromNameServer, NamedMachine, ToNameServer } from './messages.ts'
import { resolveName } from './resolve.ts'

/**
 * The program that resolves names for machines whose egress lists have some. It runs in the network namespace of the
 * router as an unprivileged user, and asks the engine to open the addresses that it found.
 */
const [gateway = '', ...resolvers] = process.argv.slice(2)
const port = 53
const unprivileged = 65_534

/** A machine that asks faster waits for its own queries: further datagrams are dropped, and connections are closed. */
const maxQueriesPerMachine = 16
const maxConnectionsPerMachine = 8
const maxQueryBytes = 512
const idleMs = 5000

let machines = new Map<string, NamedMachine>()
const opening = new Map<number, (isOpen: boolean) => void>()
const queries = new Map<string, number>()
const connections = new Map<string, number>()
let asked = 0

const answering: Answering = {
  machineAt: address => machines.get(address),
  resolve: name => resolveName(resolvers, name),
  open: (machine: string, found: Found) =>
    new Promise(resolve => {
      const id = ++asked
      opening.set(id, resolve)
      tell({ kind: 'open', id, machine, found })
    }),
}

function tell(message: FromNameServer): void {
  process.send?.(message)
}

async function answer(bytes: Buffer, from: string): Promise<Buffer | undefined> {
  if (bytes.length > maxQueryBytes || !enter(queries, from, maxQueriesPerMachine)) return undefined
  try {
    return await answerQuery(bytes, from, answering)
  } finally {
    leave(queries, from)
  }
}

function enter(counts: Map<string, number>, key: string, max: number): boolean {
  const count = counts.get(key) ?? 0
  if (count >= max) return false
  counts.set(key, count + 1)
  return true
}

function leave(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 0) - 1
  if (left > 0) counts.set(key, left)
  else counts.delete(key)
}

/** Answers one query per connection, which is what programs send that got a truncated answer. */
async function serveConnection(socket: Socket): Promise<void> {
  const from = socket.remoteAddress ?? ''
  socket.on('error', () => {})
  if (!enter(connections, from, maxConnectionsPerMachine)) return void socket.destroy()
  socket.once('close', () => leave(connections, from)).setTimeout(idleMs, () => socket.destroy())
  let bytes = Buffer.of()
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk])
    const length = bytes.length < 2 ? maxQueryBytes : bytes.readUInt16BE(0)
    if (length > maxQueryBytes) break
    if (bytes.length < length + 2) continue
    const reply = await answer(bytes.subarray(2, length + 2), from)
    if (!reply) break
    const size = Buffer.alloc(2)
    size.writeUInt16BE(reply.length)
    socket.end(Buffer.concat([size, reply]))
    return
  }
  socket.destroy()
}

process.on('disconnect', () => process.exit())
process.on('message', (message: ToNameServer) => {
  if (message.kind === 'machines')
    machines = new Map(message.machines.map(machine => [machine.address, machine]))
  else {
    opening.get(message.id)?.(message.isOpen)
    opening.delete(message.id)
  }
})

const datagrams = createSocket('udp4')
datagrams.on('message', (bytes, { address, port: from }) => {
  void answer(bytes, address).then(reply => reply && datagrams.send(reply, from, address))
})
datagrams.bind(port, gateway)
const streams = createServer(socket => void serveConnection(socket).catch(() => socket.destroy()))
streams.listen(port, gateway)
await Promise.all([once(datagrams, 'listening'), once(streams, 'listening')])
// The ports are bound, so root is not needed any more. No packet of a machine has been read yet.
process.setgroups?.([])
process.setgid?.(unprivileged)
process.setuid?.(unprivileged)
tell({ kind: 'ready' })
