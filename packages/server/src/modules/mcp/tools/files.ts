import { files as definition, editedText, filesConfirmations, numberedLines } from '@sandglass/protocol/tools'
import { z } from 'zod'
import { withFiles } from '../../files/failures.ts'
import { machineTool } from './machine-tool.ts'
import { readText, viewFolder, writeText } from './text-files.ts'

const Output = z.object({
  path: z.string(),
  kind: z.enum(['file', 'folder']),
  lines: z.int().optional().meta({ description: 'The number of lines of the file.' }),
})

export const files = machineTool({
  ...definition,
  isRecorded: true,
  output: Output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  run: (input, { inside: { machine }, signal }) =>
    withFiles(signal, async () => {
      const { path } = input
      if (input.action === 'view') {
        const folder = await viewFolder(machine.files, path, signal)
        if (folder !== undefined) return answer(folder, { path, kind: 'folder' })
        const text = await readText(machine.files, path, signal)
        return answer(numberedLines(text, input.firstLine, input.lastLine), fileOf(path, text))
      }
      const text = await editedText(input, () => readText(machine.files, path, signal))
      await writeText(machine.files, path, text, signal)
      return answer(`${filesConfirmations[input.action]} ${path}.`, fileOf(path, text))
    }),
})

function fileOf(path: string, text: string): z.input<typeof Output> {
  return { path, kind: 'file', lines: text === '' ? 0 : text.replace(/\n$/, '').split('\n').length }
}

function answer(text: string, structuredContent: z.input<typeof Output>) {
  return { content: [{ type: 'text' as const, text }], structuredContent }
}
