import { toolCallFamily, toolDialect } from '../grammars/tool-calls.ts'
import { qwen3 } from '../readers/resize.ts'

export const qwen3vl = toolCallFamily('Qwen3-VL and 3.5: tool_call objects or tags in thousandths.', {
  ...toolDialect,
  resize: qwen3,
})
