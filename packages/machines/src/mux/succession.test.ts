import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { patienceMs, waitFor } from '../testing/wait-for.ts'
import { MuxSession } from './mux-session.ts'
import { type Carried, ListeningMachine } from './testing/listening-machine.ts'

describe('the sessions of one opener', { timeout: 600_000 }, () => {
  let machine: ListeningMachine

  beforeEach(async () => {
    machine = await ListeningMachine.start()
  })
  afterEach(() => machine?.dispose())

  const start = ({ stream }: Carried) => MuxSession.connect(stream, { timeoutMs: patienceMs })
  const say = async (session: MuxSession, word: string) => {
    const stream = await session.open('x11', { timeoutMs: patienceMs })
    stream.write(word)
    await waitFor(() => machine.received.endsWith(word))
    return stream
  }

  it('end with the next one, so that what was said in them and arrives later has no effect', async () => {
    const carried = machine.join('front.1')
    const pointer = await say(await start(carried), 'first ')
    carried.hold()
    pointer.write('late ')
    await say(await start(machine.join('front.2')), 'second ')
    carried.deliver()
    await waitFor(() => carried.hasEnded() || machine.received.includes('late'))
    assert.equal(machine.received, 'first second ')
  })

  it('do not end a later one when they arrive after it', async () => {
    const later = await start(machine.join('front.10'))
    const early = machine.join('front.9')
    await assert.rejects(start(early), { code: 'UNREACHABLE' })
    await waitFor(early.hasEnded)
    await say(later, 'still there')
    later.close()
    await assert.rejects(start(machine.join('front.9')), { code: 'UNREACHABLE' }, 'also when that has ended')
  })

  it('do not end those of others, nor those without a name', async () => {
    const sessions: MuxSession[] = []
    for (const name of [['front.5'], ['other.1'], [], []]) sessions.push(await start(machine.join(...name)))
    for (const [index, session] of sessions.entries()) await say(session, `${index} `)
    assert.equal(machine.received, '0 1 2 3 ')
  })
})
