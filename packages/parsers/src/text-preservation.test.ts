import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ComputerAction, MobileAction } from '@sandglass/protocol'
import fc from 'fast-check'
import { readCorpus } from '../corpus/corpus.ts'
import { type ParserType, parserTypes, type Space } from './index.ts'
import { trace } from './parse.ts'
import { isBlank } from './readers/characters.ts'

/** Everything that may be dropped: a label, a heading, a tag, a token, a fence, a separator of statements. */
const syntax =
  /^(?:[\s#*]*(?:[A-Za-z_]{1,20}|\p{Script=Han}{2})[ *]*[:：]\**|[\s#*]*##[\s#*](?:[A-Za-z_]{1,20}|\p{Script=Han}{2})[ *]*#*|<\/?[\w:]{1,100}[^<>]{0,100}>|<\/[\w:]{1,80}|<\|\w{1,40}\|>|```[a-z0-9_]{0,20}|;|◁\/?think▷)$/u

/**
 * Asserts that no text is lost: every non-blank character belongs to exactly one span, and each span is syntax as
 * above, is contained in thoughts, memory or unknown, or is the source of actions.
 */
function assertNothingLost(type: ParserType, space: Space, text: string): void {
  const { reading, parsed } = trace(type, space, text)
  const spans = reading.takePieces().map(({ kind, start, end }) => ({ kind: String(kind), start, end }))
  const { markup = [] } = reading
  for (let at = 0; at < markup.length; at += 2) {
    spans.push({ kind: 'markup', start: markup[at] ?? 0, end: markup[at + 1] ?? 0 })
  }
  spans.sort((a, b) => a.start - b.start)
  const label = () => `${type} ${space} ${JSON.stringify(text)} ${JSON.stringify(spans)}`
  let from = 0
  for (const { kind, start, end } of [...spans, { kind: 'end', start: text.length, end: text.length }]) {
    assert.ok(start >= from && end >= start, `spans overlap: ${label()}`)
    for (let at = from; at < start; at++) {
      assert.ok(isBlank(text.charCodeAt(at)), `character ${at} is lost: ${label()}`)
    }
    from = end
    const said = text.slice(start, end)
    if (kind === 'markup') assert.match(said, syntax, label())
    if (kind === 'thought') assert.ok(parsed.thoughts?.includes(said), label())
    if (kind === 'memory') assert.ok(parsed.memory?.includes(said), label())
    if (kind === 'unknown') assert.ok(parsed.unknown?.includes(said), label())
    if (kind === 'action') assert.ok(parsed.actions.length > 0, label())
  }
  const schema = space === 'computer' ? ComputerAction : MobileAction
  for (const action of parsed.actions) assert.deepEqual(schema.parse(action), action, label())
}

const corpus = readCorpus().map(({ text }) => text)
const spaces = ['computer', 'mobile'] as const
const types = parserTypes.map(({ type }) => type)
const anyType = fc.constantFrom(...types)
const anySpace = fc.constantFrom(...spaces)

const fragments = fc.constantFrom(
  'Thought:',
  'Action:',
  'Action：',
  '思考：',
  '（',
  '）',
  '动作:',
  '|box_start|',
  '\n',
  '\n\n',
  ' ',
  '\t',
  '<think>',
  '</think>',
  '<thinkt>',
  '<tool_call>',
  '</tool_call>',
  '<answer>',
  '</answer',
  '<function=click>',
  '<parameter=point>',
  '</parameter>',
  '<point>',
  '</point>',
  "click(start_box='",
  "(1,2)')",
  'do(action="Tap", element=[1,2])',
  '{"action":"click"',
  '}',
  '{',
  '"coordinate":[1,2]',
  '[',
  ']',
  '(',
  ')',
  "'",
  '"',
  '\\',
  ',',
  '=',
  'pyautogui.',
  'click(1, 2)',
  '```',
  'x',
  '<|begin_of_box|>',
  '<|end_of_box|>',
  'Memory:',
  'DONE',
  '[INFEASIBLE]',
  'action:CLICK',
  'point:1,2',
  ';',
  '>',
  '◁think▷',
  '◁/think▷',
  '#',
  '**',
  '<action>',
  '<conclusion>',
  'scroll up()',
  '"""',
  "'''",
  '-1e999',
  '\ud800',
)
const woven = fc.array(fragments, { maxLength: 24 }).map(parts => parts.join(''))
const position = fc.double({ min: 0, max: 1, noNaN: true })

const cut = fc
  .tuple(fc.constantFrom(...corpus), position)
  .map(([text, at]) => text.slice(0, at * text.length))
const doubled = fc.tuple(cut, cut).map(([a, b]) => a + b)
const mutated = fc.tuple(fc.constantFrom(...corpus), position, fragments).map(([text, at, piece]) => {
  const place = Math.floor(at * text.length)
  return text.slice(0, place) + piece + text.slice(place + 1)
})

for (const [name, texts] of Object.entries({
  'any string': fc.string({ unit: 'binary', maxLength: 200 }),
  'random syntax': woven,
  'a truncated text': cut,
  'a mutated text': mutated,
  'two texts in one': doubled,
})) {
  test(`${name} never throws, loses no text and produces only actions of the contract`, () => {
    fc.assert(
      fc.property(anyType, anySpace, texts, (type, space, text) => assertNothingLost(type, space, text)),
      { numRuns: 2000 },
    )
  })
}

test('no family loses text of the corpus', () => {
  for (const type of types)
    for (const space of spaces) for (const text of corpus) assertNothingLost(type, space, text)
})
