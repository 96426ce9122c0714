import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { SandboxFigures } from '@sandglass/protocol'
import { runIn, runningSandbox } from '../../testing/sandbox-programs.ts'
import { startMachineService } from '../../testing/test-machines.ts'
import type { Answer } from '../../testing/test-service.ts'

const { service } = await startMachineService()
const sandbox = await runningSandbox(service, { egress: [{ cidr: '192.0.2.0/24' }] })
const code = ({ status, body }: Answer) => [status, body?.code]
const MiB = 1024 * 1024

async function figures(path = sandbox): Promise<SandboxFigures> {
  const { status, body, text } = await service.get(`${path}/figures`)
  assert.equal(status, 200, text)
  return SandboxFigures.parse(body)
}

const run = (...args: string[]) => runIn(service, sandbox, { executable: 'sh', args: ['-c', ...args] })

test('figures follow what programs in a sandbox use, within the limits of its shape', async () => {
  const before = await figures()
  const { cpu, memory, disk, network } = before
  assert.ok(cpu && memory && disk && network, JSON.stringify(before))
  assert.equal(cpu.cpus, 1)
  assert.equal(memory.limitBytes, 512 * MiB)
  assert.ok(disk.limitBytes > 300 * MiB && disk.limitBytes <= 512 * MiB, String(disk.limitBytes))
  assert.ok(cpu.usedSeconds > 0 && memory.usedBytes > 0 && memory.usedBytes < memory.limitBytes)

  await run('i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done')
  await run('head -c 30000000 /dev/zero | tr "\\0" x > ~/file; sync')
  await run('bash -c "echo hello > /dev/udp/192.0.2.1/9"')
  await waitFor(async () => {
    const now = await figures()
    return (
      (now.cpu?.usedSeconds ?? 0) > cpu.usedSeconds &&
      (now.disk?.usedBytes ?? 0) > disk.usedBytes + 25 * MiB &&
      (now.network?.sentBytes ?? 0) > network.sentBytes
    )
  })
  await service.post(`${sandbox}/shell`, {
    command: `python3 -c 'x = bytearray(100 * 1024 * 1024); input()'`,
  })
  await waitFor(async () => ((await figures()).memory?.usedBytes ?? 0) > memory.usedBytes + 90 * MiB)
  assert.ok(Date.parse((await figures()).at) > Date.parse(before.at))
})

test('a sandbox without a network has no figures of it, and a paused one keeps its figures', async () => {
  const offline = await runningSandbox(service, { egress: 'none', lifecycle: { autoResume: true } })
  assert.equal((await figures(offline)).network, null)
  assert.equal((await service.post(`${offline}/pause`)).status, 200)
  assert.ok((await figures(offline)).memory)
  assert.equal((await service.post(`${offline}/hibernate`)).status, 200)
  assert.deepEqual(code(await service.get(`${offline}/figures`)), [409, 'sandbox.STATE'])
  assert.equal((await service.get(`${offline}/status`)).body.status, 'STOPPED')
  await service.remove(offline)
})

test('viewers see figures, and other organizations do not', async () => {
  const viewer = await service.keyOf('viewer')
  assert.equal((await service.get(`${sandbox}/figures`, { key: viewer })).status, 200)
  const { apiKey, orgId } = await service.otherOrganization()
  const stranger = `${sandbox.replace('~', `/api/orgs/${orgId}`)}/figures`
  assert.deepEqual(code(await service.get(stranger, { key: apiKey })), [404, 'sandbox.NOT_FOUND'])
})
