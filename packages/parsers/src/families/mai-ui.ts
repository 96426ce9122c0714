import type { Family } from '../family.ts'
import type { Grammar } from '../grammar.ts'
import { toolCalls, toolDialect } from '../grammars/tool-calls.ts'
import { pointOf } from '../readers/points.ts'
import { qwen3 } from '../readers/resize.ts'
import { readText } from '../readers/text.ts'

const calls = toolCalls({ ...toolDialect, units: 'thousandths-or-pixels', resize: qwen3 })

/** Tool calls, or a point alone if the model was only asked where something is. */
const grammar: Grammar = {
  ...calls,
  tags: new Map([...calls.tags, ['grounding_think', 'thought']]),
  understandObject: fields => {
    const alone = fields.first === fields.last && fields.first?.name === 'coordinate'
    const at = alone ? pointOf(fields.get('coordinate')) : undefined
    return at && { kind: 'tap', at, button: 1, count: 1 }
  },
}

export const maiUi: Family = {
  about: 'MAI-UI: thinking tags and a mobile_use tool_call in thousandths.',
  read: reading => readText(reading, grammar),
}
