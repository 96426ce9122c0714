import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

test('ports are free, differ, and are not among those that the kernel hands out', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort))
  assert.equal(new Set(ports).size, ports.length)
  const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
  for (const port of ports) {
    assert.ok(port < Number.parseInt(range, 10), `${port}`)
    const server = createServer().listen(port, '127.0.0.1')
    await new Promise(resolve => connect(port, '127.0.0.1').once('connect', resolve).end())
    server.close()
  }
})

test('a port is not given to another process, even if nothing is bound to it', async () => {
  const port = await freePort()
  const name = `\\0sandglass-test-port-${port}`
  const script = `require('net').createServer().listen('${name}').once('error', error => console.log(error.code))`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script])
  assert.equal(stdout.trim(), 'EADDRINUSE')
})
