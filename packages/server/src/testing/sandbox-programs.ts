import assert from 'node:assert/strict'
import { makeSandbox } from './make-sandbox.ts'
import type { TestService } from './test-service.ts'

/** Creates a running sandbox of the small shape, and returns its API path. */
export async function runningSandbox(service: TestService, choices: object = {}): Promise<string> {
  return `~/sandboxes/${await makeSandbox(service, choices)}`
}

export interface Ran {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
  readonly stdoutTruncated?: true
  readonly timedOut?: true
}

/** Runs a program in a sandbox with execSandboxProcess, and returns its output. */
export async function runIn(service: TestService, sandbox: string, body: object): Promise<Ran> {
  const { status, body: answer, text } = await service.post(`${sandbox}/process`, body)
  assert.equal(status, 200, text)
  const { stdoutBase64, stderrBase64, ...rest } = answer
  const [stdout, stderr] = [stdoutBase64, stderrBase64].map(base64 =>
    Buffer.from(base64, 'base64').toString(),
  )
  return { stdout, stderr, ...rest }
}

/** Returns the command lines of all processes in a sandbox. */
export async function commandLines(service: TestService, sandbox: string): Promise<string> {
  const args = ['-c', 'cat /proc/[0-9]*/cmdline | tr "\\0" " "']
  return (await runIn(service, sandbox, { executable: 'sh', args })).stdout
}
