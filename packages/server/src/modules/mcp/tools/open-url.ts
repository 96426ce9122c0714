import { noBrowserExitCode } from '@sandglass/machines/contract'
import { ToolError } from '@sandglass/protocol/tools'
import { z } from 'zod'
import { runProcess } from '../../processes/run-process.ts'
import { pictureResult } from '../desktop.ts'
import { machineTool } from './machine-tool.ts'
import { PictureOutput } from './picture-output.ts'

export const openUrl = machineTool({
  name: 'open-url',
  isRecorded: true,
  title: 'Open a page',
  description:
    'Open a web page in the browser of the computer, and see the screen when the page has loaded. A page that takes more than 9 seconds may still be loading in the picture: wait and look again with computer-use.',
  input: z.object({
    url: z
      .url({ protocol: /^https?$/, error: 'must be a whole http or https URL, such as https://example.org/' })
      .max(8000),
  }),
  output: PictureOutput.extend({ url: z.string() }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run({ url }, { inside: { machine }, desktop, signal }) {
    await machine.screen.begin()
    const { executable, args } = machine.guest.openUrl(url)
    const request = { executable, args: [...args], timeoutSeconds: 30 }
    const { exitCode } = await runProcess(machine, request, signal)
    if (exitCode === noBrowserExitCode)
      throw new ToolError(
        'This computer has no browser. Install one with shell, or fetch the page with curl there.',
      )
    const { settled } = await machine.screen.look({ settle: { quietMs: 300, until: 'machine' } }, signal)
    return pictureResult(await desktop.act({ type: 'screenshot' }), `Opened ${url}.`, { url, settled })
  },
})
