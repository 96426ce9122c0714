import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { ports } from '../packages/server/src/modules/tunnels/testing/programs.ts'
import {
  askForTunnel,
  openTunnel,
  TunnelClient,
} from '../packages/server/src/modules/tunnels/testing/tunnel-client.ts'
import { peakMemory, resetPeakMemory } from './hostile/service-memory.ts'
import { workersOf } from './support/host-processes.ts'
import { MachineInstallation } from './support/machine-installation.ts'
import { makeSandboxes } from './support/machine-process.ts'
import { call } from './support/service-process.ts'

const installation = await MachineInstallation.start()
const { service, credentials } = installation
const [id = ''] = await makeSandboxes(credentials, 1)
const script = new URL('../packages/server/src/modules/tunnels/testing/programs.py', import.meta.url)
const { status } = await call(credentials, 'POST', `~/sandboxes/${id}/process`, {
  executable: 'sh',
  args: [
    '-c',
    'cat > programs.py; python3 programs.py > listening 2>&1 & until grep -q . listening; do sleep 0.1; done',
  ],
  stdinBase64: (await readFile(script)).toString('base64'),
})
assert.equal(status, 200)
const served = {
  service: { url: credentials.url, credentials },
  expand: (path: string) => path.replace('~', `/api/orgs/${credentials.orgId}`),
}
const MiB = 1024 * 1024

test('a caller that does not read costs the service a bounded amount of memory', async () => {
  const clients = await Promise.all(Array.from({ length: 8 }, () => openTunnel(served, id, ports.source)))
  const before = await resetPeakMemory(service.pid)
  for (const client of clients) {
    client.webSocket.pause()
    client.send(`${200 * MiB}\n`)
  }
  const more = await openTunnel(served, id, ports.source)
  let got = 0
  more.onData = data => {
    got += data.length
  }
  more.send(`${200 * MiB}\n`)
  await waitFor(async () => got === 200 * MiB)
  const grown = (await peakMemory(service.pid)) - before
  assert.ok(grown < 200 * MiB, `${Math.round(grown / MiB)} MiB more`)
  for (const { webSocket } of [...clients, more]) webSocket.terminate()
})

test('a tunnel whose worker is killed says so, and another one can be opened', async () => {
  const client = await openTunnel(served, id, ports.echo)
  client.send('x')
  await waitFor(async () => client.text === 'x')
  for (const pid of await workersOf(service.pid)) process.kill(pid, 'SIGKILL')
  assert.deepEqual(await client.untilClosed(), { code: 4503, reason: 'sandbox.UNREACHABLE' })
  let again: unknown
  await waitFor(async () => {
    again = await askForTunnel(served, `~/sandboxes/${id}/tunnel/${ports.echo}`)
    return again instanceof TunnelClient
  })
  assert.ok(again instanceof TunnelClient)
  const reopened = again
  reopened.send('again')
  await waitFor(async () => reopened.text === 'again')
})

test('tunnels end with the service, and can be opened again after its start', async () => {
  const client = await openTunnel(served, id, ports.echo)
  await service.kill()
  assert.equal((await client.untilClosed()).code, 1006)
  await installation.startAgain()
  let again: unknown
  await waitFor(async () => {
    again = await askForTunnel(served, `~/sandboxes/${id}/tunnel/${ports.echo}`).catch(() => undefined)
    return again instanceof TunnelClient
  })
})
