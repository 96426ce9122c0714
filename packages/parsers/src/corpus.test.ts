import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ComputerAction, MobileAction } from '@sandglass/protocol'
import { readCorpus } from '../corpus/corpus.ts'
import { parse, parserTypes } from './index.ts'

const corpus = readCorpus()

for (const { name, type, space, text, screen, parsed } of corpus) {
  test(`${type}, ${space}: ${name}`, () => {
    const result = parse(type, space, text, screen)
    assert.deepEqual(result, parsed)
    const schema = space === 'computer' ? ComputerAction : MobileAction
    for (const action of result.actions) assert.deepEqual(schema.parse(action), action)
  })
}

test('every type has a case, and no two cases of a type share a name', () => {
  const types = new Set(corpus.map(({ type }) => type))
  for (const { type } of parserTypes) assert.ok(types.has(type), type)
  const names = corpus.map(({ type, space, name }) => `${type} ${space} ${name}`)
  assert.equal(new Set(names).size, names.length)
})

test('the types of the contract come first and support both kinds of machines', () => {
  const contract = ['ui-tars', 'seed', 'glm-4.1v', 'glm-4.5v', 'qwen-2.5-vl', 'qwen-3-vl', 'pyautogui']
  assert.deepEqual(
    parserTypes.slice(0, contract.length).map(({ type }) => type),
    contract,
  )
  for (const { spaces, about } of parserTypes) {
    assert.deepEqual(spaces, ['computer', 'mobile'])
    assert.match(about, /^[A-Z].*\.$/)
  }
})
