import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { EffectWatch } from '../../../screens/effects/effect-watch.ts'
import { testAgent } from '../../local/guest/test-agent.ts'
import { ToldActivity } from './told-activity.ts'

const idle = { ok: true, cpuMs: 5, loads: 1, processes: [1, 7], stolenMs: 0, hostLoad: 0.5 }
const lineOf = (answer: object) => `${JSON.stringify(answer)}\n`

/** An agent that answers each question with what `answer` returns. */
async function asking(t: TestContext, answer: (question: number) => string, answerMs = 60_000) {
  let [connections, questions] = [0, 0]
  const guest = await testAgent(t, (socket: Socket) => {
    connections++
    socket.on('data', () => socket.write(answer(questions++)))
  })
  return {
    told: new ToldActivity(guest, answerMs),
    connections: () => connections,
    questions: () => questions,
  }
}

test('a machine says over one connection what its programs do', async t => {
  const { told, connections } = await asking(t, question => lineOf({ ...idle, cpuMs: question }))
  const { ok: _, ...expected } = idle
  for (let question = 0; question < 5; question++)
    assert.deepEqual(await told.now(), { ...expected, cpuMs: question })
  assert.equal(connections(), 1)
})

test('questions that come together have one answer', async t => {
  const { told, questions } = await asking(t, () => lineOf(idle))
  const answers = await Promise.all([told.now(), told.now(), told.now()])
  assert.deepEqual(
    answers.map(answer => answer?.cpuMs),
    [5, 5, 5],
  )
  assert.equal(questions(), 1)
})

const lies: Record<string, string> = {
  'infinite numbers': lineOf(idle).replace('"cpuMs":5', '"cpuMs":1e999'),
  'numbers whose difference is infinite': lineOf({ ...idle, stolenMs: 1e308 }),
  'negative numbers': lineOf({ ...idle, stolenMs: -1 }),
  'no numbers': lineOf({ ...idle, loads: 'many' }),
  'more processes than there can be': lineOf({ ...idle, processes: Array.from({ length: 1025 }, () => 1) }),
  'a line that never ends': '['.repeat(1_000_000),
  'a refusal': lineOf({ ok: false, error: 'INVALID', message: 'activity' }),
  nothing: '',
}
for (const [lie, line] of Object.entries(lies))
  test(`a machine that answers with ${lie} is not asked again for a while`, async t => {
    // Long enough for the question to arrive on a busy box.
    const { told, questions } = await asking(t, () => line, line === '' ? 5000 : undefined)
    for (let time = 0; time < 3; time++) assert.equal(await told.now(), undefined)
    assert.equal(questions(), 1)
  })

test('a machine that cannot be reached delays nobody for long', async t => {
  const guest = await testAgent(t, () => {})
  const told = new ToldActivity({ ...guest, connect: () => new Promise<never>(() => {}) }, 100)
  assert.equal(await told.now(), undefined)
})

test('whatever a machine says, its actions settle', async t => {
  const extremes = [0, Number.MAX_SAFE_INTEGER]
  const { told } = await asking(t, question => {
    const some = extremes[question % 2]
    return lineOf({
      ...idle,
      cpuMs: some,
      loads: some,
      stolenMs: some,
      hostLoad: some,
      processes: [question],
    })
  })
  const effects = new EffectWatch(() => told.now())
  effects.begin()
  assert.ok(await effects.atRest({ quietMs: 50, maxMs: 500 }))
})
