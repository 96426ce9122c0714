import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import type { World } from './world.ts'

const text = (base64: string) => Buffer.from(base64, 'base64').toString()

export async function programs({ client, sandboxId }: World): Promise<void> {
  const { stdoutBase64, exitCode } = await client.execSandboxProcess({
    sandboxId,
    body: { executable: 'sh', args: ['-c', 'cat; exit 3'], stdinBase64: btoa('in') },
  })
  assert.deepEqual([text(stdoutBase64), exitCode], ['in', 3])

  const streamed: string[] = []
  for await (const event of client.streamSandboxShell({ sandboxId, body: { command: 'echo out' } }))
    streamed.push(Object.keys(event)[0] ?? '')
  assert.deepEqual([streamed[0], streamed.at(-1)], ['stdout', 'end'])

  const { sessionId: shellId } = await client.createSandboxShell({
    sandboxId,
    body: { command: 'while read -r line; do stty size; echo "got $line"; done', useTty: true },
  })
  await client.resizeSandboxShell({ sandboxId, shellId, body: { ttyRows: 11, ttyCols: 22 } })
  await client.writeSandboxShell({ sandboxId, shellId, body: { data: 'hello\n' } })
  let seen = ''
  for await (const event of client.attachSandboxShell({ sandboxId, shellId })) {
    if ('stdout' in event) seen += text(event.stdout)
    if (seen.includes('got hello')) break
  }
  assert.match(seen, /11 22/)
  assert.equal((await client.readSandboxShell({ sandboxId, shellId })).isRunning, true)
  await client.finishSandboxShell({ sandboxId, shellId })
  await waitFor(async () => !(await client.readSandboxShell({ sandboxId, shellId })).isRunning)

  const { sessionId } = await client.createSandboxShell({ sandboxId, body: { command: 'sleep 1000' } })
  const shells = await client.listSandboxShells({ sandboxId })
  assert.equal(shells.find(({ id }) => id === sessionId)?.command, 'sleep 1000')
  await client.terminateSandboxShell({ sandboxId, shellId: sessionId })
}
