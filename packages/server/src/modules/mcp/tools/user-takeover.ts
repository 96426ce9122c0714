import { z } from 'zod'
import { pictureResult } from '../desktop.ts'
import { machineTool } from './machine-tool.ts'
import { PictureOutput } from './picture-output.ts'

export const userTakeover = machineTool({
  name: 'user-takeover',
  isRecorded: true,
  title: 'Hand over to a person',
  description:
    'Ask a person to take over the computer for a step that only they can do: a password, a payment, a captcha, a decision. Returns a link; show it to them with what they should do, and stop until they say that they are done. Until they hand control back, you can look at the screen but not act.',
  input: z.object({
    reason: z
      .string()
      .max(2000)
      .optional()
      .meta({ description: 'What the person should do, in a sentence. The live view shows it to them.' }),
  }),
  output: PictureOutput.extend({ link: z.string(), reason: z.string().optional() }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run({ reason }, { desktop, viewLink }) {
    const link = await viewLink()
    const view = await desktop.act({
      type: 'client:user-takeover',
      ...(reason !== undefined && { message: reason }),
    })
    const asked = reason === undefined ? '' : ` ${reason}`
    const text = `A person is in control now. Show them this link: ${link}${asked}`
    return pictureResult(view, text, { link, ...(reason !== undefined && { reason }) })
  },
})
