import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { ports, startPrograms } from '../../packages/server/src/modules/tunnels/testing/programs.ts'
import { makeSandbox } from '../../packages/server/src/testing/make-sandbox.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { CommandLine } from '../support/command-line.ts'

const machines = await startMachineService()
const { service } = machines
const id = await makeSandbox(service)
await startPrograms(machines, id)
const cli = await CommandLine.for(service)

interface Forwarding {
  readonly child: ChildProcess
  readonly local: readonly number[]
  /** What was said on stderr. */
  readonly said: () => string
}

async function forward(...remotePorts: number[]): Promise<Forwarding> {
  const words = ['port-forward', id, ...remotePorts.map(port => `0:${port}`), '-o', 'json']
  const child = cli.start(words)
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', text => {
    said += text
  })
  const local: number[] = []
  assert.ok(child.stdout)
  for await (const line of createInterface(child.stdout)) {
    const { localPort, remotePort, address } = JSON.parse(line)
    assert.equal(address, '127.0.0.1')
    assert.equal(remotePort, remotePorts[local.length])
    local.push(localPort)
    if (local.length === remotePorts.length) break
  }
  assert.equal(local.length, remotePorts.length, said)
  return { child, local, said: () => said }
}

async function interrupt({ child }: Forwarding): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  assert.deepEqual(await exited, [130, null])
}

const connectTo = (port = 0) => createConnection({ host: '127.0.0.1', port, allowHalfOpen: true })
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

test('50 connections at once carry a megabyte each way, and each direction ends by itself', async () => {
  const forwarding = await forward(ports.echo, ports.digest)
  const [echo, digest] = forwarding.local
  const answers = Array.from({ length: 50 }, async (_, index) => {
    const sent = randomBytes(1_000_000)
    const socket = connectTo(index % 2 === 0 ? echo : digest)
    // The end of what is sent leaves the other direction open: both programs still answer.
    socket.end(sent)
    const received = await buffer(socket)
    if (index % 2 === 0) assert.equal(sha256(received), sha256(sent))
    else assert.equal(received.toString(), sha256(sent))
  })
  await Promise.all(answers)
  await interrupt(forwarding)
})

test('a program that does not read slows down its sender, and one that does not listen is reported', async () => {
  const forwarding = await forward(ports.deaf, 9)
  const [deaf, closed] = forwarding.local
  const socket = connectTo(deaf)
  socket.on('error', () => {})
  let hasFilled = false
  for (let sent = 0; sent < 256 && !hasFilled; sent++)
    hasFilled = await new Promise<boolean>(resolve => {
      const isSlow = setTimeout(() => resolve(true), 3000)
      socket.write(Buffer.alloc(1 << 20), () => {
        clearTimeout(isSlow)
        resolve(false)
      })
    })
  assert.ok(hasFilled, 'a quarter of a gigabyte went to a program that reads nothing')
  const refused = connectTo(closed)
  const [error] = await once(refused, 'error')
  assert.equal(error.code, 'ECONNRESET')
  await waitFor(() => /^9: Nothing in the sandbox is listening on this port\./m.test(forwarding.said()))
  await interrupt(forwarding)
  await waitFor(() => socket.closed)
})

test('a program that resets its connection is seen to reset it, and Ctrl-C leaves nothing open', async () => {
  const forwarding = await forward(ports.reset, ports.shut)
  const [reset, shut] = forwarding.local
  const broken = connectTo(reset)
  broken.write('x')
  const [error] = await once(broken, 'error')
  assert.equal(error.code, 'ECONNRESET')
  const ending = connectTo(shut)
  assert.equal((await buffer(ending)).toString(), 'bye')
  ending.end()
  await interrupt(forwarding)
  const [refused] = await once(connectTo(shut), 'error')
  assert.equal(refused.code, 'ECONNREFUSED')
})

test('ports that cannot be forwarded are refused with what to do', async () => {
  const wrong = await cli.run(['port-forward', id, '99999'])
  assert.equal(wrong.exitCode, 2)
  assert.match(wrong.stderr, /"99999" is not a port to forward\.\nWrite 9222/)
  const forwarding = await forward(ports.echo)
  const taken = await cli.run(['port-forward', id, `${forwarding.local[0]}:80`])
  assert.equal(taken.exitCode, 1)
  assert.match(taken.stderr, /is in use on this computer\.\nChoose another one/)
  const missing = await cli.run(['port-forward', '00000000-0000-4000-8000-000000000000', '80'])
  assert.equal(missing.exitCode, 1)
  assert.match(missing.stderr, /sandbox/i)
  await interrupt(forwarding)
})
