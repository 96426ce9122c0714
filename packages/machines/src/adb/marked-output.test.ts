import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MarkedOutput } from './marked-output.ts'

const [before, after] = ['<abcd', 'abcd>']

test('the output between the marks is found wherever the text is split', () => {
  const word = fc.constantFrom('x', '\n', '<', '<ab', 'abcd', '<abc', ';', '🙂')
  fc.assert(
    fc.property(
      fc.array(word),
      fc.array(word),
      fc.array(fc.integer({ min: 1, max: 9 })),
      (prompt, words, cuts) => {
        const output = words.join('')
        const whole = `${prompt.join('').replaceAll(before, '')}${before}${output}${after}17;rest`
        fc.pre(
          whole.indexOf(before) + before.length + output.length ===
            whole.indexOf(after, whole.indexOf(before) + before.length),
        )
        const found = new MarkedOutput(before, after, 1000)
        let [at, result]: [number, ReturnType<MarkedOutput['receive']>] = [0, undefined]
        for (const cut of [...cuts, whole.length]) {
          result ??= found.receive(whole.slice(at, at + cut))
          at += cut
        }
        assert.deepEqual(result, { output, code: 17 })
        assert.equal(found.isTooLong, false)
      },
    ),
  )
})

test('a text without an end is refused, whether it comes before, between or after the marks', () => {
  for (const begin of ['', before, before + after]) {
    const found = new MarkedOutput(before, after, 5000)
    found.receive(begin)
    for (let sent = 0; sent < 5001; sent++) assert.equal(found.receive('1'), undefined)
    assert.ok(found.isTooLong)
  }
})

test('many small pieces are not searched again with each new one', () => {
  const found = new MarkedOutput(before, after, 10_000_000)
  found.receive(before)
  for (let sent = 0; sent < 1_000_000; sent++) found.receive('a')
  assert.equal(found.receive(`${after}0;`)?.output.length, 1_000_000)
})
