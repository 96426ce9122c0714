import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Postmaster } from './postmaster.ts'

const patience = { startMs: 300_000, stopMs: 60_000 }

/** A program in the place of PostgreSQL, which reports what the test lets it report and ignores some signals. */
function start(t: TestContext, ignored = '') {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const warnings: string[] = []
  const script = `${ignored && `trap "" ${ignored}`}\nwhile read -r line; do echo "$line" >&2; done; exec sleep 1000`
  const child = spawn('sh', ['-c', script], { stdio: ['pipe', 'ignore', 'pipe'] })
  const server = new Postmaster(child, { info: () => {}, warn: text => warnings.push(text) }, patience)
  // It sees each line after the server, which listens for longer.
  const lines = createInterface({ input: child.stderr })
  return {
    server,
    warnings,
    ended: once(child, 'exit').then(([, signal]) => signal),
    /** Settles when the server has read the line. */
    async report(line: string) {
      const read = once(lines, 'line')
      child.stdin.write(`${line}\n`)
      await read
    },
    async pass(ms: number) {
      t.mock.timers.tick(ms)
      await setImmediate()
    },
  }
}

test('a server that neither serves nor ends is killed, and the start fails', async t => {
  const { server, warnings, report, pass, ended } = start(t, 'INT QUIT')
  await report('LOG:  starting')
  await pass(patience.startMs)
  assert.deepEqual(warnings, ['the embedded database neither starts nor ends; replacing it'])
  await pass(patience.stopMs)
  await assert.rejects(server.ready, /ended with SIGKILL: LOG: {2}starting/)
  await server.exited
  assert.equal(await ended, 'SIGKILL')
})

test('a server that reports progress may take as long as it needs to start', async t => {
  const { server, warnings, report, pass } = start(t)
  for (let i = 0; i < 10; i++) {
    await report('LOG:  redo in progress')
    await pass(patience.startMs - 1)
  }
  await report('LOG:  database system is ready to accept connections')
  await pass(patience.startMs)
  await server.ready
  assert.deepEqual(warnings, [])
  server.end()
  await server.exited
})

test('refused connections are no progress of a start', async t => {
  const { server, report, pass } = start(t)
  await report('LOG:  starting')
  await pass(patience.startMs - 1)
  await report('FATAL:  the database system is starting up')
  await pass(1)
  await assert.rejects(server.ready, /ended with SIGQUIT/)
})

test('a server that does not shut down is cut short, and killed in the end', async t => {
  const { server, report, pass, ended } = start(t, 'INT QUIT')
  await report('LOG:  database system is ready to accept connections')
  await server.ready
  server.end()
  await pass(patience.stopMs)
  await pass(patience.stopMs)
  await server.exited
  assert.equal(await ended, 'SIGKILL')
})

test('a server that cannot be started has ended', async () => {
  const child = spawn('/nonexistent/postgres', { stdio: ['ignore', 'ignore', 'pipe'] })
  const server = new Postmaster(child, { info: () => {}, warn: () => {} }, patience)
  await assert.rejects(server.ready, /ENOENT/)
  await server.exited
})
