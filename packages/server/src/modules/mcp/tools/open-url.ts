import { noBrowserExitCode } from '@sandglass/machines/contract'
import { z } from 'zod'
import { runProcess } from '../../processes/run-process.ts'
import { pictureResult } from '../desktop.ts'
import { machineTool } from './machine-tool.ts'
import { PictureOutput } from './picture-output.ts'
import { ToolError } from './tool.ts'
import { untilChanged } from './until-changed.ts'

/** How long to wait for the browser to show a window, and then again for the page to settle. */
const windowMs = 4000

export const openUrl = machineTool({
  name: 'open-url',
  isRecorded: true,
  title: 'Open a page',
  description:
    'Open a web page in the browser of the computer, and see the screen. The page may still be loading in the picture: wait and look again with computer-use.',
  input: z.object({
    url: z
      .url({ protocol: /^https?$/, error: 'must be a whole http or https URL, such as https://example.org/' })
      .max(8000),
  }),
  output: PictureOutput.extend({ url: z.string() }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run({ url }, { inside: { machine }, desktop, signal }) {
    await untilChanged(machine.screen, { maxMs: windowMs, signal }, async () => {
      const { executable, args } = machine.guest.openUrl(url)
      const request = { executable, args: [...args], timeoutSeconds: 30 }
      const { exitCode } = await runProcess(machine, request, signal)
      if (exitCode === noBrowserExitCode)
        throw new ToolError(
          'This computer has no browser. Install one with shell, or fetch the page with curl there.',
        )
    })
    await machine.screen.settled({ quietMs: 300, maxMs: windowMs, signal })
    return pictureResult(await desktop.act({ type: 'screenshot' }), `Opened ${url}.`, { url })
  },
})
