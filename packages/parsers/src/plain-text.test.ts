import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readCorpus } from '../corpus/corpus.ts'
import { grammar } from './families/ui-tars.ts'
import { parse, trace } from './parse.ts'
import { parsePlainText } from './plain-text.ts'

const isPlain = (text: string) => parsePlainText(text, grammar, 'computer', undefined) !== undefined
const corpus = readCorpus()
const plain = corpus.filter(({ text }) => isPlain(text))

test('the fast path and the general reader agree on the corpus', () => {
  assert.ok(plain.length > 5)
  for (const { type, space, text } of corpus) {
    assert.deepEqual(parse(type, space, text), trace(type, space, text).parsed, text)
  }
})

test('the fast path and the general reader agree on plain texts with parts missing or repeated', () => {
  const part = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(fc.constantFrom(...plain), part, part, ({ type, space, text }, from, to) => {
      const other = text.slice(0, from * text.length) + text.slice(to * text.length)
      assert.deepEqual(parse(type, space, other), trace(type, space, other).parsed, other)
    }),
    { numRuns: 2000 },
  )
})

test('the fast path only accepts plain texts', () => {
  const text = "Thought: Next.\nAction: click(start_box='(412,338)')"
  assert.equal(isPlain(text), true)
  assert.equal(isPlain(text.replace('Next', 'Two\nlines, next')), true)
  for (const other of [
    text.replace('Next', '<think>Next</think>'),
    text.replace('Action', 'Memory: none\nAction'),
    text.replace('Action: ', 'Action: Now '),
    text.replace('Thought: ', ''),
    text.replace('click', 'dance'),
    `Well. ${text}`,
    `${text} is what I do`,
    `${text}\n\nhotkey(key='ctrl s')`,
    text.slice(0, -1),
    "Thought: Next.\nAction: call_user(content='Which one?')",
    'Thought: Next.',
    '',
  ])
    assert.equal(isPlain(other), false, other)
})
