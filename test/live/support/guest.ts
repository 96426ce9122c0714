import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runIn } from '../../../packages/server/src/testing/sandbox-programs.ts'
import type { TestService } from '../../../packages/server/src/testing/test-service.ts'

const painter = join(import.meta.dirname, 'painter.py')

/** Runs a script in a sandbox as the desktop's user and returns its output. */
export async function sh(service: TestService, sandbox: string, script: string): Promise<string> {
  const { stdout, stderr, exitCode } = await runIn(service, sandbox, {
    executable: 'sh',
    args: ['-c', script],
  })
  assert.equal(exitCode, 0, stderr)
  return stdout
}

/** Runs a moving picture on the screen of a sandbox until `stop` is called. Its last frame stays on the screen. */
export async function film(service: TestService, sandbox: string): Promise<{ stop(): Promise<void> }> {
  const stdinBase64 = (await readFile(painter)).toString('base64')
  const args = ['-c', 'cat > /tmp/painter.py']
  await runIn(service, sandbox, { executable: 'sh', args, stdinBase64 })
  const command = 'python3 /tmp/painter.py 100 100 640 360 25 >/tmp/painter.log 2>&1 & echo $!'
  const pid = await sh(service, sandbox, command)
  return { stop: async () => void (await sh(service, sandbox, `kill -STOP ${pid}`)) }
}
