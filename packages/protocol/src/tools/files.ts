import { z } from 'zod'
import { required } from './coordinate.ts'
import { insertAfterLine, replaceOnce } from './text-edits.ts'
import type { ToolDefinition } from './tool-definition.ts'

const actions = ['view', 'create', 'replace', 'insert'] as const
const line = z.int().min(0)

const Input = z.object({
  action: z.enum(actions).meta({
    description:
      'view shows a text file with line numbers, or the contents of a folder. create writes a file and overwrites an existing one. replace replaces oldText with newText. insert inserts content after a line.',
  }),
  path: z
    .string()
    .min(1)
    .max(4096)
    .regex(/^[^\0]*$/, 'must not contain a zero byte')
    .meta({
      description: "Absolute, or relative to the user's home.",
    }),
  content: z.string().optional().meta({ description: 'For create and insert: the text.' }),
  oldText: z.string().min(1).optional().meta({
    description:
      'For replace: the exact text in the file, which must occur once. Include surrounding lines if it occurs more than once.',
  }),
  newText: z
    .string()
    .optional()
    .meta({ description: 'For replace: the new text. If it is left out, oldText is deleted.' }),
  line: line
    .optional()
    .meta({ description: 'For insert: the content is inserted after this line; 0 is the beginning.' }),
  firstLine: line.optional().meta({ description: 'For view: the first line to show.' }),
  lastLine: line.optional().meta({ description: 'For view: the last line to show.' }),
})
export type FilesInput = z.infer<typeof Input>

export const files = {
  name: 'files',
  title: 'Read and write files',
  description:
    'View, create and change text files on the computer, and list its folders, as the user of its desktop. For other kinds of files, and to move or delete them, use shell.',
  input: Input,
} as const satisfies ToolDefinition

/** What a model is told after a change. */
export const filesConfirmations = { create: 'Wrote', replace: 'Changed', insert: 'Changed' } as const

/** Returns the text of a file after a change. */
export async function editedText(input: FilesInput, read: () => Promise<string>): Promise<string> {
  const { action, content, oldText, newText = '' } = input
  if (action === 'replace')
    return replaceOnce(
      await read(),
      required(oldText, 'oldText', action, 'give the exact text in the file'),
      newText,
    )
  const text = required(content, 'content', action, 'give the text')
  if (action !== 'insert') return text
  return insertAfterLine(
    await read(),
    required(input.line, 'line', action, 'give the line after which to insert it, 0 for the beginning'),
    text,
  )
}
