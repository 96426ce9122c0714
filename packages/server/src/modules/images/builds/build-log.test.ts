import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BuildEvent, Image } from '@sandglass/protocol'
import { BuildLog, maxLogCharacters } from './build-log.ts'

const image: Image = {
  id: 'image',
  name: 'image',
  description: null,
  createdAt: new Date(0).toISOString(),
  shapeName: 'small',
  requiredFeatureFlag: null,
  scope: 'ORG',
  status: 'READY',
}

async function read(log: BuildLog): Promise<BuildEvent[]> {
  const events: BuildEvent[] = []
  for await (const event of log) events.push(event)
  return events
}

test('what a step prints in small pieces is joined until it is read', async () => {
  const log = new BuildLog('image')
  for (const letter of 'letters') log.print(0, 'stdout', letter)
  log.print(0, 'stderr', 'complaint')
  log.add({ event: 'finished', image })
  const texts = (await read(log)).map(event => (event.event === 'output' ? event.text : event.event))
  assert.deepEqual(texts, ['letters', 'complaint', 'finished'])
})

test('a reader waits for what comes next', async () => {
  const log = new BuildLog('image')
  const reading = read(log)
  await new Promise(resolve => setImmediate(resolve))
  log.add({ event: 'step', step: 0, cached: false })
  await new Promise(resolve => setImmediate(resolve))
  log.add({ event: 'finished', image })
  assert.deepEqual(
    (await reading).map(({ event }) => event),
    ['step', 'finished'],
  )
})

test('output beyond the limit is left out, and the log says so once', async () => {
  const log = new BuildLog('image')
  for (let printed = 0; printed < 2 * maxLogCharacters; printed += 100_000)
    log.print(0, 'stdout', 'x'.repeat(100_000))
  log.add({ event: 'finished', image })
  const events = await read(log)
  const texts = events.flatMap(event => (event.event === 'output' ? event.text : []))
  const length = texts.join('').length
  assert.ok(length >= maxLogCharacters && length < maxLogCharacters + 100, `${length} characters`)
  assert.match(texts.at(-1) ?? '', /The log is full/)
  assert.equal(events.at(-1)?.event, 'finished')
})
