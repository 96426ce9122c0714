import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort, waitFor } from '@sandglass/machines/testing'
import { z } from 'zod'
import { makeSandbox } from '../../packages/server/src/testing/make-sandbox.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { type Exposed, parseExposition } from '../support/exposition.ts'
import { Prometheus, promtool } from '../support/prometheus.ts'
import { temporaryFolder } from '../support/service-process.ts'

const root = join(import.meta.dirname, '../..')
const examples = join(root, 'examples/monitoring')
const rules = join(examples, 'alerts.yaml')
const cases = join(import.meta.dirname, 'alerts.test.yaml')

const Source = z.object({ type: z.literal('prometheus'), uid: z.literal(`\${datasource}`) })
const Position = z.object({ x: z.int().min(0), y: z.int().min(0), w: z.int().min(1), h: z.int().min(1) })
const Target = z.object({ refId: z.string(), expr: z.string(), legendFormat: z.string(), datasource: Source })
const Panel = z.object({
  id: z.int(),
  title: z.string().min(1),
  type: z.enum(['row', 'stat', 'timeseries']),
  gridPos: Position,
  targets: z.array(Target).min(1).optional(),
})
const Dashboard = z.object({
  uid: z.string(),
  schemaVersion: z.int(),
  panels: z.array(Panel),
  templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.string() })) }),
})

async function readDashboard(): Promise<z.output<typeof Dashboard>> {
  return Dashboard.parse(JSON.parse(await readFile(join(examples, 'dashboard.json'), 'utf8')))
}

/** The queries of the dashboard, with the variables that Grafana replaces. */
async function queries(): Promise<readonly string[]> {
  const { panels } = await readDashboard()
  const all = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  return all.map(expr => expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'))
}

async function alerts(): Promise<readonly { readonly name: string; readonly expr: string }[]> {
  const text = await readFile(rules, 'utf8')
  return text
    .split('- alert: ')
    .slice(1)
    .map(rule => ({ name: rule.slice(0, rule.indexOf('\n')), expr: rule.slice(0, rule.indexOf('labels:')) }))
}

/** The labels that Prometheus adds, and that of buckets. */
const given = ['instance', 'job', 'le']

/** Fails if a query names a metric that the service does not expose, or a label that its metrics do not have. */
function requireExposed(expr: string, exposed: readonly Exposed[]): void {
  const names = expr.match(/\b(?:sandglass|process|nodejs)_\w+/g) ?? []
  const metrics = names.map(name => {
    const metric = exposed.find(each => each.name === name || isPartOf(name, each))
    return metric ?? assert.fail(`${name} is not exposed: ${expr}`)
  })
  const labels = new Set([...metrics.flatMap(metric => metric.labels), ...given])
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.match(/\w+/g) ?? [])
  const selected = [...expr.matchAll(/(\w+)(?:=~|!=|!~|=)"/g)].map(([, label = '']) => label)
  for (const label of [...grouped, ...selected]) assert.ok(labels.has(label), `${label} of ${expr}`)
}

const isPartOf = (name: string, metric: Exposed) =>
  metric.type === 'histogram' && ['_bucket', '_sum', '_count'].some(part => name === `${metric.name}${part}`)

/** The labels of metrics that have no series in this test are those that docs/metrics.md lists, which another test compares. */
async function withDocumentedLabels(exposed: readonly Exposed[]): Promise<readonly Exposed[]> {
  const page = await readFile(join(root, 'docs/metrics.md'), 'utf8')
  return exposed.map(metric => {
    const [, labels = ''] = new RegExp(`^\\| \`${metric.name}\` \\| \\w+ \\| (.*?) \\|`, 'm').exec(page) ?? []
    return { ...metric, labels: [...metric.labels, ...(labels.match(/\w+/g) ?? [])] }
  })
}

test('promtool accepts the rules, the configuration and every query of the dashboard', async () => {
  await promtool('check', 'rules', rules)
  await promtool('check', 'config', '--syntax-only', join(examples, 'prometheus.yaml'))
  const file = join(await temporaryFolder(), 'queries.json')
  const recorded = (await queries()).map((expr, at) => ({ record: `query:${at}`, expr }))
  await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: recorded }] }))
  assert.match(await promtool('check', 'rules', file), new RegExp(`SUCCESS: ${recorded.length} rules found`))
})

test('the dashboard has panels that do not overlap, and only variables that it defines', async () => {
  const { panels, templating } = await readDashboard()
  const names = templating.list.map(({ name }) => name)
  assert.deepEqual(names, ['datasource', 'instance'])
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
    assert.ok(x + w <= 24)
    return Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`)
  })
  assert.equal(new Set(cells).size, cells.length)
  for (const { type, targets = [] } of panels) {
    assert.equal(targets.length > 0, type !== 'row')
    assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length)
    for (const { expr } of targets)
      for (const [, variable = ''] of expr.matchAll(/\$\{?(\w+)/g))
        assert.ok(variable === '__rate_interval' || names.includes(variable), `${variable} in ${expr}`)
  }
})

test('each alert is raised by what it is about, and none by a healthy service', async () => {
  await promtool('test', 'rules', cases)
  const played = await readFile(cases, 'utf8')
  for (const { name } of await alerts())
    assert.equal(
      played.split(`alertname: ${name}\n`).length > 2,
      true,
      `${name} has no case, or is not in the last one`,
    )
})

test('each alert has a runbook, and each runbook an alert', async () => {
  const page = await readFile(join(root, 'docs/monitoring.md'), 'utf8')
  const headings = [...page.matchAll(/^### (Sandglass\w+)$/gm)].map(([, heading = '']) => heading)
  const names = (await alerts()).map(({ name }) => name)
  assert.deepEqual(headings.toSorted(), names.toSorted())
  const text = await readFile(rules, 'utf8')
  for (const name of names)
    assert.ok(text.includes(`runbook: docs/monitoring.md#${name.toLowerCase()}\n`), name)
})

test('a real Prometheus scrapes a service with machines, and answers every query of rules and dashboard', async () => {
  const port = await freePort()
  const { service } = await startMachineService({ warm: 1, env: { SANDGLASS_METRICS_PORT: String(port) } })
  const scraped = async () => await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const exposed = await withDocumentedLabels(parseExposition(await scraped()))
  for (const { expr } of await alerts()) requireExposed(expr, exposed)
  for (const expr of await queries()) requireExposed(expr, exposed)

  const prometheus = await Prometheus.start('sandglass', `127.0.0.1:${port}`, rules)
  const id = await makeSandbox(service)
  const action = { type: 'mouse:move', x: { type: 'px', value: 1 }, y: { type: 'px', value: 1 } }
  const { status, text } = await service.post(`~/sandboxes/${id}/actions/execute`, { action })
  assert.equal(status, 200, text)
  const seen = 'sum_over_time(sandglass_sandboxes{state="running",shape="small"}[1m]) > 1'
  await waitFor(async () => (await prometheus.query(seen)).length === 1)
  await waitFor(async () =>
    (await prometheus.rules()).every(({ health, lastError }) => {
      assert.notEqual(health, 'err', lastError)
      return health === 'ok'
    }),
  )
  assert.equal((await prometheus.rules()).length, (await alerts()).length)
  for (const expr of await queries()) await prometheus.query(expr)
  // What happened here is seen in the dashboard.
  const shown = [
    'sandglass_sandboxes{',
    'sandglass_warm_machines_wanted{',
    'sandglass_host_cpu_seconds_total{',
  ]
  for (const expr of (await queries()).filter(query => shown.some(metric => query.includes(metric))))
    assert.ok((await prometheus.query(expr)).length > 0, expr)
})
