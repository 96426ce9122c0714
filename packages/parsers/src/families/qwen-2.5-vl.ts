import { toolCallFamily, toolDialect } from '../grammars/tool-calls.ts'
import { qwen25 } from '../readers/resize.ts'

export const qwen25vl = toolCallFamily('Qwen2.5-VL: tool_call objects in pixels of the resized image.', {
  ...toolDialect,
  units: 'pixels-or-thousandths',
  resize: qwen25,
})
