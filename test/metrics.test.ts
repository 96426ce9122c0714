import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { startMachineService } from '../packages/server/src/testing/test-machines.ts'
import { type Exposed, parseExposition } from './support/exposition.ts'

const { service } = await startMachineService({ warm: 1 })
const px = (value: number) => ({ type: 'px', value })

async function exposed(): Promise<readonly Exposed[]> {
  const { text } = await service.operator('GET', '/metrics')
  return parseExposition(text).filter(({ name }) => name.startsWith('sandglass_'))
}

/** The rows of the tables of docs/metrics.md. */
async function documented(): Promise<readonly Exposed[]> {
  const page = await readFile(new URL('../docs/metrics.md', import.meta.url), 'utf8')
  const rows = page.matchAll(/^\| `(sandglass_\w+)` \| (\w+) \| (.*?) \| (.*) \|$/gm)
  return [...rows].map(([, name = '', type = '', labels = '', help = '']) => ({
    name,
    type,
    help,
    labels: labels.match(/\w+/g) ?? [],
  }))
}

test('what happens to sandboxes, machines and actions is counted, with no label that a tenant chooses', async () => {
  await waitFor(
    async () => (await service.metric('sandglass_warm_machines_ready{shape="warm",kind="shape"}')) === 1,
  )
  assert.equal(await service.metric('sandglass_warm_machines_wanted{shape="warm",kind="shape"}'), 1)
  const id = await makeSandbox(service)
  const claimed = await service.post('~/sandboxes', { shape: 'warm', name: 'a name of my own' })
  assert.equal(claimed.body.status, 'RUNNING')
  await service.post('~/sandboxes', { shape: 'small', projectId: 'no such project' })
  const act = (action: object) => service.post(`~/sandboxes/${id}/actions/execute`, { action })
  assert.equal((await act({ type: 'mouse:move', x: px(1), y: px(1) })).status, 200)
  await service.post(`~/sandboxes/${id}/pause`)

  const metrics: Record<string, number> = {
    'sandglass_sandboxes{state="running",shape="warm"}': 1,
    'sandglass_sandboxes{state="paused",shape="small"}': 1,
    'sandglass_sandboxes{state="running",shape="small"}': 0,
    'sandglass_creates_total{shape="small",result="accepted"}': 1,
    'sandglass_creates_total{shape="warm",result="accepted"}': 1,
    'sandglass_creates_total{shape="small",result="project.NOT_FOUND"}': 1,
    'sandglass_time_to_running_seconds_count{shape="small",way="created"}': 1,
    'sandglass_time_to_running_seconds_count{shape="warm",way="claimed"}': 1,
    'sandglass_actions_total{type="mouse:move",outcome="done"}': 1,
    'sandglass_action_seconds_count{type="mouse:move"}': 1,
    'sandglass_engine_ready{engine="local"}': 1,
    sandglass_database_up: 1,
  }
  await waitFor(async () => (await service.metric('sandglass_event_log_lag_seconds')) === 0)
  for (const [name, value] of Object.entries(metrics)) assert.equal(await service.metric(name), value, name)
  assert.ok((await service.metric('sandglass_database_bytes')) > 1_000_000)
  assert.ok((await service.metric('sandglass_host_cpu_seconds_total{mode="user"}')) > 0)
  const { text } = await service.operator('GET', '/metrics')
  for (const chosen of ['a name of my own', id, service.orgId])
    assert.ok(!text.includes(chosen), `${chosen} is in the metrics`)
})

test('a machine that ends by itself is counted by its cause', async () => {
  const id = await makeSandbox(service)
  await service.post(`~/sandboxes/${id}/process`, { executable: 'sudo', args: ['sh', '-c', 'kill -TERM 1'] })
  await waitFor(async () => {
    const { text } = await service.operator('GET', '/metrics')
    return /^sandglass_machine_deaths_total\{cause="[a-z-]+"\} 1$/m.test(text)
  })
})

test('Prometheus reads the metrics with the key of the operator as a bearer token, and nobody else does', async () => {
  const { apiKey, operatorKey } = service.service.credentials
  const statusWith = async (key: string) =>
    (await service.get('/metrics', { key: null, headers: { authorization: `Bearer ${key}` } })).status
  assert.deepEqual([await statusWith(operatorKey), await statusWith(apiKey)], [200, 403])
})

test('docs/metrics.md lists every metric with its type, its labels and its help', async () => {
  const rows = await documented()
  const found = await exposed()
  const plain = (all: readonly Exposed[]) =>
    all.map(({ name, type, help }) => `${name} ${type} ${help}`).toSorted()
  assert.deepEqual(plain(rows), plain(found))
  for (const { name, labels } of found.filter(({ labels }) => labels.length > 0))
    assert.deepEqual(labels.toSorted(), rows.find(row => row.name === name)?.labels.toSorted(), name)
})
