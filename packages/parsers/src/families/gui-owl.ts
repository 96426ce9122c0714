import { toolCallFamily, toolDialect } from '../grammars/tool-calls.ts'
import { qwen25 } from '../readers/resize.ts'

export const guiOwl = toolCallFamily(
  'GUI-Owl and Mobile-Agent: tool_call objects, in thousandths or pixels by version.',
  {
    ...toolDialect,
    units: 'thousandths-or-pixels',
    resize: qwen25,
  },
)
