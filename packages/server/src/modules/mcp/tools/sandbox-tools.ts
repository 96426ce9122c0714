import { z } from 'zod'
import { sandboxTool } from './machine-tool.ts'

const NoInput = z.object({})
const Output = z.object({ sandboxId: z.string().optional(), done: z.boolean() })
const destructive = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
} as const

const textResult = (text: string, structuredContent: z.input<typeof Output>) => ({
  content: [{ type: 'text' as const, text }],
  structuredContent,
})

export const recreateSandbox = sandboxTool({
  name: 'recreate-sandbox',
  title: 'Start with a new computer',
  description:
    'Delete the computer, with all files and programs on it, and start with a new one. For a computer that is broken beyond repair, or a task that needs a clean one.',
  input: NoInput,
  output: Output,
  annotations: destructive,
  async run(_input, control) {
    const { id } = await control.recreate()
    return textResult('There is a new computer. Nothing of the old one is left.', {
      sandboxId: id,
      done: true,
    })
  },
})

export const restartSandbox = sandboxTool({
  name: 'restart-sandbox',
  isDoneAtMachine: true,
  title: 'Restart the computer',
  description: 'Restart the computer. Its files are kept; all programs end. For a computer that hangs.',
  input: NoInput,
  output: Output,
  annotations: destructive,
  async run(_input, control) {
    const { id, reason } = await control.restart()
    return textResult(reason ?? 'The computer was restarted. Its files were kept.', {
      sandboxId: id,
      done: true,
    })
  },
})

export const deleteSandbox = sandboxTool({
  name: 'delete-sandbox',
  title: 'Delete the computer',
  description:
    'Delete the computer, with all files and programs on it, when the work is done. The next tool that needs a computer gets a new one.',
  input: NoInput,
  output: Output,
  annotations: destructive,
  async run(_input, control) {
    const done = await control.delete()
    return textResult(done ? 'The computer was deleted.' : 'There was no computer to delete.', { done })
  },
})
