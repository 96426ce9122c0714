import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { runIn } from '../../../testing/sandbox-programs.ts'
import type { TestService } from '../../../testing/test-service.ts'

const program = new URL('fake-browser.py', import.meta.url)

/** Installs a program in a sandbox that behaves as a browser does. `sandbox` is its API path. */
export async function installFakeBrowser(service: TestService, sandbox: string): Promise<void> {
  const script = 'sudo install -m 755 /dev/stdin /usr/local/bin/chromium'
  const stdinBase64 = (await readFile(program)).toString('base64')
  const { exitCode, stderr } = await runIn(service, sandbox, {
    executable: 'sh',
    args: ['-c', script],
    stdinBase64,
  })
  assert.equal(exitCode, 0, stderr)
}

/** The command lines with which the browser of a sandbox was started so far. */
export async function startsOf(service: TestService, sandbox: string): Promise<string[]> {
  const { stdout } = await runIn(service, sandbox, { executable: 'sh', args: ['-c', 'cat ~/starts; true'] })
  return stdout.split('\n').filter(line => line !== '')
}
