import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { RunningSandbox } from '../../packages/server/src/testing/running-sandbox.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { CommandLine, finishedOf } from '../support/command-line.ts'

const machines = await startMachineService()
const box = await RunningSandbox.start(machines)
const cli = await CommandLine.for(machines.service)

const exec = (...words: string[]) => ['sandbox', 'exec', box.id, ...words]
const runs = async (command: string) => (await box.run(`pgrep -fc -- ${JSON.stringify(command)}`)) !== '0'

test('a hundred megabytes go through a command and come back, with its exit code', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-exec-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'random')
  const size = 100_000_000
  await finishedOf(spawn('sh', ['-c', `head -c ${size} /dev/urandom > ${path}`]))
  const input = await open(path)
  const child = cli.start(exec('--', 'sh', '-c', 'cat; exit 7'))
  assert.ok(child.stdin && child.stdout)
  createReadStream(path).pipe(child.stdin)
  const received = createHash('sha256')
  let length = 0
  let maxMemory = 0
  child.stdout.on('data', chunk => {
    received.update(chunk)
    length += chunk.length
  })
  const sampling = setInterval(async () => {
    maxMemory = Math.max(maxMemory, await residentBytes(child.pid))
  }, 200)
  const { exitCode, stderr } = await finishedOf(child)
  clearInterval(sampling)
  const sent = createHash('sha256')
  for await (const chunk of input.createReadStream()) sent.update(chunk)
  assert.deepEqual([exitCode, stderr, length], [7, '', size])
  assert.equal(received.digest('hex'), sent.digest('hex'))
  assert.ok(maxMemory > 0 && maxMemory < 400 * 2 ** 20, `${maxMemory / 2 ** 20} MiB`)
})

/** Zero once it has ended. */
async function residentBytes(pid = 0): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '0 0')
  return Number(text.split(' ')[1]) * 4096
}

test('output and errors are apart, exit codes are those of the command, and words are passed as they are', async () => {
  const both = await cli.run(exec('--', 'sh', '-c', 'printf "out\\377\\0"; printf err >&2'))
  assert.deepEqual([both.stdout.toString('latin1'), both.stderr, both.exitCode], ['out\xff\0', 'err', 0])
  const killed = await cli.run(exec('--', 'sh', '-c', 'kill -9 $$'))
  assert.equal(killed.exitCode, 137)
  const words = await cli.run(
    exec('-w', '/tmp', '--', 'printf', '%s|', "it's", '$HOME', '', '*', 'new\nline', '-o'),
  )
  assert.equal(words.stdout.toString(), "it's|$HOME||*|new\nline|-o|")
  const late = await cli.run(exec('--timeout', '1s', '--', 'sleep', '971'))
  assert.deepEqual([late.exitCode, late.stderr], [124, 'error: The command was ended after 1 seconds.\n'])
  const missing = await cli.run(exec('--', 'no such program'))
  assert.equal(missing.exitCode, 127)
  assert.match(missing.stderr, /no such program/)
})

test('Ctrl-C ends the command with everything that it started', async () => {
  await using terminal = cli.terminal(exec('--', 'sh', '-c', 'sleep 972 & echo begun; sleep 973'))
  await terminal.shows(/begun/)
  assert.ok(await runs('sleep 972'))
  terminal.type('\x03')
  assert.equal(await terminal.exited, 130)
  assert.equal(await runs('sleep 97[23]'), false)
})

test('a terminal has the size of this one, follows it, and gets every key', async () => {
  await using terminal = cli.terminal(
    exec(
      '-t',
      '--',
      'sh',
      '-c',
      'stty size; trap "stty size" WINCH; trap "echo interrupted; exit 5" INT; while :; do sleep 0.1; done',
    ),
    { rows: 33, columns: 101 },
  )
  await terminal.shows(/33 101\r+\n/)
  assert.equal(await terminal.isRaw(), true)
  terminal.resize(44, 122)
  await terminal.shows(/44 122\r+\n/)
  terminal.type('\x03')
  await terminal.shows(/interrupted/)
  assert.equal(await terminal.exited, 5)
})

test('connect is a login shell that ends with its exit code, and leaves the terminal as it was', async () => {
  await using terminal = cli.terminal(['sandbox', 'connect', box.id])
  await terminal.shows(/\$ /)
  terminal.type('shopt -q login_shell && echo "is a login" shell in $PWD\n')
  await terminal.shows(/is a login shell in \/home\/user/)
  terminal.type('exit 9\n')
  assert.equal(await terminal.exited, 9)
})
