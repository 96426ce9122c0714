import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const module = JSON.stringify(new URL('ignore-nonsense.ts', import.meta.url).href)

/** Runs a host that starts a child, which writes to the channel of its parent. */
const host = (rest: string) =>
  run(process.execPath, [
    '--input-type=module',
    '-e',
    `import { spawn } from 'node:child_process'
     const { ignoreNonsense } = await import(${module})
     const script = 'echo "{nonsense" >&$NODE_CHANNEL_FD; exec sleep 100'
     const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
     child.once('exit', () => console.log('going on'))
     ignoreNonsense(line => {
       console.log(line)
       child.kill('SIGKILL')
     })
     ${rest}`,
  ])

test('a host goes on after a process has written nonsense to it', async () => {
  const { stdout } = await host('')
  assert.match(stdout, /sent nonsense to the host\.\ngoing on/)
})

test('a host ends after any other error', async () => {
  await assert.rejects(host(`setImmediate(() => { throw new TypeError('a flaw') })`), {
    code: 1,
    stdout: /The host failed: TypeError: a flaw/,
  })
})
