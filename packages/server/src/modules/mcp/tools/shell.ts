import { shell as definition, describeRun } from '@sandglass/protocol/tools'
import { z } from 'zod'
import { runProcess } from '../../processes/run-process.ts'
import { machineTool } from './machine-tool.ts'

const Output = z.object({
  exitCode: z.int().meta({ description: '0 is success; 128+n where signal n ended the command.' }),
  stdout: z.string(),
  stderr: z.string(),
  timedOut: z.boolean(),
})

export const shell = machineTool({
  ...definition,
  isRecorded: true,
  output: Output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  async run({ command, workingDirectory, timeoutSeconds }, { inside, signal }) {
    const { executable, args } = inside.machine.guest.shell.login(command)
    const ran = await runProcess(
      inside.machine,
      { executable, args: [...args], workingDirectory, timeoutSeconds },
      signal,
    )
    const { ran: structuredContent, text } = describeRun(
      {
        exitCode: ran.exitCode,
        stdout: textOf(ran.stdoutBase64),
        stderr: textOf(ran.stderrBase64),
        timedOut: ran.timedOut ?? false,
      },
      timeoutSeconds,
    )
    return { content: [{ type: 'text', text }], structuredContent: { ...structuredContent } }
  },
})

function textOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString()
}
