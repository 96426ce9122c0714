import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCorpus } from '../../corpus/corpus.ts'
import { grammar } from '../families/ui-tars.ts'
import { parse } from '../parse.ts'
import { Reading } from '../reading.ts'
import { readPlainText } from './plain-text.ts'

const isPlain = (text: string) => readPlainText(new Reading(text, 'computer'), grammar)
const plain = readCorpus().filter(({ text }) => isPlain(text))

test('a plain text means what it means with a token after it, for which it is outlined', () => {
  assert.ok(plain.length > 5)
  for (const { type, space, text } of plain) {
    const longer = `${text}<|im_end|>`
    assert.equal(isPlain(longer), false)
    assert.deepEqual(parse(type, space, text), parse(type, space, longer), text)
  }
})

test('what else stands in a text makes it no plain one', () => {
  const text = "Thought: Next.\nAction: click(start_box='(412,338)')"
  assert.equal(isPlain(text), true)
  assert.equal(isPlain(text.replace('Next', 'Two\nlines, next')), true)
  for (const other of [
    text.replace('Next', '<think>Next</think>'),
    text.replace('Action', 'Memory: none\nAction'),
    text.replace('Action: ', 'Action: Now '),
    text.replace('Thought: ', ''),
    `Well. ${text}`,
    `${text} is what I do`,
    `${text}\n\nhotkey(key='ctrl s')`,
    text.slice(0, -1),
    'Thought: Next.',
    '',
  ])
    assert.equal(isPlain(other), false, other)
})
