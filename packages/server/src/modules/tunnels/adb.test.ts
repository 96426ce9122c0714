import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { TestAdbServer } from '@sandglass/machines/test-phones'
import { cleanup } from '../../testing/cleanup.ts'
import { makeSandbox } from '../../testing/make-sandbox.ts'
import { startMachineService } from '../../testing/test-machines.ts'
import { openTunnel } from './testing/tunnel-client.ts'

const machines = await startMachineService({ hasPhone: true })
const { service } = machines
const id = await makeSandbox(service, { shapeName: 'phone' })
const folder = await mkdtemp(join(tmpdir(), 'sandglass-adb-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))

/** Listens on a port, and carries each connection through a tunnel to the adbd of the phone. */
async function forward(): Promise<string> {
  const server = createServer(socket => void carry(socket).catch(() => socket.destroy()))
  cleanup.defer(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function carry(socket: Socket): Promise<void> {
  socket.pause()
  socket.on('error', () => {})
  const client = await openTunnel(service, id, 'adb')
  client.onData = data => void socket.write(data)
  client.webSocket.on('close', () => socket.destroy())
  socket.on('data', data => client.send(data))
  socket.on('close', () => client.webSocket.close())
  socket.resume()
}

test("Debian's adb uses the phone simulator through a tunnel", async () => {
  const server = await TestAdbServer.start(folder)
  cleanup.defer(() => server.close())
  const address = await forward()
  await server.connect(address)
  const adb = async (...words: string[]) => String(await server.run('-s', address, ...words)).trim()
  assert.equal(await adb('shell', 'getprop', 'ro.sandglass.simulator'), '1')
  const [there, back] = [join(folder, 'there'), join(folder, 'back')]
  const content = randomBytes(20_000_000)
  await writeFile(there, content)
  await adb('push', there, '/sdcard/there')
  await adb('pull', '/sdcard/there', back)
  assert.ok(content.equals(await readFile(back)))
  const { text } = await service.get(`~/sandboxes/${id}/files/info?path=/sdcard/there`)
  assert.match(text, /20000000/)
})
