import { toolCalling, toolDialect } from '../grammars/tool-calls.ts'
import { qwen3 } from '../readers/resize.ts'

export const qwen3vl = toolCalling('Qwen3-VL and 3.5: tool_call objects or tags in thousandths.', {
  ...toolDialect,
  resize: qwen3,
})
