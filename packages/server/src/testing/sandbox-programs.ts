import assert from 'node:assert/strict'
import { makeSandbox } from './make-sandbox.ts'
import type { TestService } from './test-service.ts'

/** A sandbox of the small test image that runs; gives its path. */
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

/** What a program in a sandbox prints, by execSandboxProcess. */
export async function runIn(service: TestService, sandbox: string, body: object): Promise<Ran> {
  const { status, body: answer, text } = await service.post(`${sandbox}/process`, body)
  assert.equal(status, 200, text)
  const { stdoutBase64, stderrBase64, ...rest } = answer
  const [stdout, stderr] = [stdoutBase64, stderrBase64].map(base64 =>
    Buffer.from(base64, 'base64').toString(),
  )
  return { stdout, stderr, ...rest }
}

/** The command lines of everything that runs in a sandbox. */
export async function commandLines(service: TestService, sandbox: string): Promise<string> {
  const args = ['-c', 'cat /proc/[0-9]*/cmdline | tr "\\0" " "']
  return (await runIn(service, sandbox, { executable: 'sh', args })).stdout
}
