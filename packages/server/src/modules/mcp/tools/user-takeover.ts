import { z } from 'zod'
import { shown } from '../desktop.ts'
import { machineTool } from './machine-tool.ts'
import { Sighted } from './sighted.ts'

export const userTakeover = machineTool({
  name: 'user-takeover',
  isRecorded: true,
  title: 'Hand over to a person',
  description:
    'Ask a person to take over the computer for a step that is theirs: a password, a payment, a captcha, a decision. Gives a link; show it to them with what they shall do, and stop until they say that they are done. Until they hand back, you can look at the screen but not act.',
  input: z.object({
    reason: z.string().max(2000).optional().meta({ description: 'What the person shall do, in a sentence.' }),
  }),
  output: Sighted.extend({ link: z.string(), reason: z.string().optional() }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run({ reason }, { desktop, viewLink }) {
    const link = await viewLink()
    const sight = await desktop.act({ type: 'client:user-takeover' })
    const asked = reason === undefined ? '' : ` ${reason}`
    const text = `A person has control now. Show them this link: ${link}${asked}`
    return shown(sight, text, { link, ...(reason !== undefined && { reason }) })
  },
})
