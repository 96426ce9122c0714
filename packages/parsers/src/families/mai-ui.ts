import { toolCalling, toolDialect } from '../grammars/tool-calls.ts'
import { qwen3 } from '../readers/resize.ts'

export const maiUi = toolCalling('MAI-UI: thinking tags and a mobile_use tool_call in thousandths.', {
  ...toolDialect,
  units: 'thousandths-or-pixels',
  resize: qwen3,
})
