import { type FilesInput, parseArguments } from '@sandglass/protocol/tools'
import { z } from 'zod'
import type { CallOptions } from '../call-options.ts'
import { editFiles } from './edit-files.ts'
import type { Outcome } from './outcome.ts'
import type { ToolTarget } from './target.ts'

const path = z.string().min(1).max(4096)

const Input = z.discriminatedUnion(
  'command',
  [
    z.object({
      command: z.literal('view'),
      path,
      view_range: z.tuple([z.int(), z.int()]).nullish(),
    }),
    z.object({ command: z.literal('create'), path, file_text: z.string() }),
    z.object({
      command: z.literal('str_replace'),
      path,
      old_str: z.string().min(1),
      new_str: z.string().nullish(),
    }),
    z.object({ command: z.literal('insert'), path, insert_line: z.int().min(0), insert_text: z.string() }),
  ],
  { error: 'must be view, create, str_replace or insert' },
)

/** Performs a call of Anthropic's text editor tool. */
export function editText(target: ToolTarget, given: unknown, call: CallOptions = {}): Promise<Outcome> {
  return editFiles(
    target,
    editOf(parseArguments({ name: 'str_replace_based_edit_tool', input: Input }, given)),
    call,
  )
}

function editOf(input: z.output<typeof Input>): FilesInput {
  switch (input.command) {
    case 'view':
      return { action: 'view', path: input.path, ...linesOf(input.view_range ?? undefined) }
    case 'create':
      return { action: 'create', path: input.path, content: input.file_text }
    case 'str_replace':
      return { action: 'replace', path: input.path, oldText: input.old_str, newText: input.new_str ?? '' }
    case 'insert':
      return { action: 'insert', path: input.path, line: input.insert_line, content: input.insert_text }
  }
}

/** The end -1 means the end of the file. */
function linesOf(range: readonly [number, number] | undefined) {
  if (!range) return {}
  const [firstLine, lastLine] = range
  return { firstLine, ...(lastLine !== -1 && { lastLine }) }
}
