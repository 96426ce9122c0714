import { describeRun, type shell } from '@sandglass/protocol/tools'
import type { z } from 'zod'
import type { CallOptions } from '../call-options.ts'
import { bytesOf } from '../sandbox/base64.ts'
import { done, type Outcome } from './outcome.ts'
import type { ToolTarget } from './target.ts'

/** Runs a command in a login shell. */
export async function runCommand(
  { client, id: sandboxId }: ToolTarget,
  { command, workingDirectory, timeoutSeconds }: z.output<typeof shell.input>,
  call: CallOptions = {},
): Promise<Outcome> {
  const body = {
    executable: 'bash',
    args: ['-lc', command],
    timeoutSeconds,
    ...(workingDirectory !== undefined && { workingDirectory }),
  }
  const { exitCode, stdoutBase64, stderrBase64, timedOut } = await client.execSandboxProcess(
    { sandboxId, body },
    call,
  )
  const ran = {
    exitCode,
    stdout: textOf(stdoutBase64),
    stderr: textOf(stderrBase64),
    timedOut: timedOut ?? false,
  }
  return done(describeRun(ran, timeoutSeconds).text)
}

function textOf(base64: string): string {
  return new TextDecoder().decode(bytesOf(base64))
}
