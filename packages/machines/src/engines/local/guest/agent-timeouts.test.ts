import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { waitFor } from '../../../testing/wait-for.ts'
import { AgentFiles } from './files.ts'
import { testAgent } from './test-agent.ts'

const agent = async (...parts: Parameters<typeof testAgent>) => new AgentFiles(await testAgent(...parts))

const late = { code: 'MACHINE_FAILED', message: /did not answer within 200 ms/ }
const idle = { code: 'MACHINE_FAILED', message: /nothing for 200 ms/ }
const info = (size: number) => `{"ok": true, "info": {"name": "x", "kind": "file", "size": ${size}}}\n`

test('a request that an agent never answers fails', async t => {
  const files = await agent(t, socket => socket.resume(), { answerMs: 200, longAnswerMs: 200 })
  await assert.rejects(files.stat('x'), late)
  await assert.rejects(files.copy('x', 'y'), late)
})

test('an answer that arrives in small pieces for ever fails', async t => {
  const trickle = (socket: Socket) => {
    const timer = setInterval(() => socket.write(' '), 20)
    socket.on('close', () => clearInterval(timer))
  }
  const files = await agent(t, trickle, { answerMs: 200 })
  await assert.rejects(files.stat('x'), late)
})

test('an agent that answers other requests is busy, and does not hang, if a ping waits behind them', async t => {
  let isDone = false
  // Longer than the timeout for a hung agent.
  const waits = { slow: 12_000, quick: 500 }
  const serve = (socket: Socket) =>
    socket.on('data', line => {
      const { path = '' } = JSON.parse(String(line))
      const waitMs = path === 'slow' ? waits.slow : path === 'quick' ? waits.quick : undefined
      if (waitMs !== undefined) setTimeout(() => socket.write(info(1)), waitMs)
    })
  const files = await agent(t, serve, {})
  const slow = files.stat('slow').finally(() => {
    isDone = true
  })
  const others = (async () => {
    while (!isDone) await files.stat('quick')
  })()
  assert.equal((await slow).size, 1)
  await others
})

test('the time in which a machine is paused does not count', async t => {
  let checks = 0
  let answer: (() => void) | undefined
  const serve = (socket: Socket) => {
    answer = () => socket.write(info(1))
  }
  const isAwake = () => {
    checks++
    return false
  }
  const files = await agent(t, serve, { answerMs: 20 }, isAwake)
  const stat = files.stat('x')
  stat.catch(() => {})
  await waitFor(async () => checks >= 5 && answer !== undefined)
  answer?.()
  assert.equal((await stat).size, 1)
})

test('a file whose content does not arrive fails', async t => {
  const files = await agent(t, socket => socket.write(`${info(1000)}some`), { idleMs: 200 })
  await assert.rejects(buffer(await files.read('x')), idle)
})

test('a file that the caller reads slowly does not fail', async t => {
  const serve = (socket: Socket) => socket.end(`${info(1 << 20)}${'x'.repeat(1 << 20)}.`)
  const files = await agent(t, serve, { idleMs: 1000 })
  const content = await files.read('x')
  await pause(2500)
  assert.equal((await buffer(content)).length, 1 << 20)
})

test('a write that the machine does not read fails', async t => {
  const files = await agent(t, socket => socket.write('{"ok": true}\n') && socket.pause(), { idleMs: 200 })
  const content = Readable.from(Array.from({ length: 64 }, () => Buffer.alloc(128 * 1024)))
  await assert.rejects(files.write('x', content), idle)
})

test('a write that the machine does not complete fails', async t => {
  const files = await agent(t, socket => socket.resume().write('{"ok": true}\n'), { longAnswerMs: 200 })
  await assert.rejects(files.write('x', Buffer.from('content')), late)
})
