import { parse, parserTypes } from '@sandglass/parsers'
import { actionParser } from '@ui-tars/action-parser'
import { readCorpus } from '../packages/parsers/corpus/corpus.ts'
import { received, task, terse } from './model-texts.ts'
import { median, type Row, row } from './row.ts'

const rounds = 15
const roundMs = 100

/** On one core: texts per second, ours compared with the rival, and how time grows with length. */
export default async function bench(): Promise<Row[]> {
  return [
    throughput('UI-TARS in a task: a paragraph and a call', task),
    throughput('UI-TARS at its tersest: a word and a call', terse),
    corpusThroughput(),
    ...Object.entries(pieces).map(([name, piece]) => besideRival(name, piece)),
    ...Object.entries(pieces).flatMap(([name, piece]) => growth(name, piece)),
  ]
}

const ours = (text: string) => parse('ui-tars', 'computer', text)
const rival = (text: string) =>
  actionParser({ prediction: text, factor: 1000, screenContext: { width: 1920, height: 1080 } })

/** Texts per second: the median of rounds that alternate, so that all runners meet the same noise. */
function race(texts: readonly string[], runners: readonly ((text: string) => unknown)[]): number[] {
  const rates: number[][] = runners.map(() => [])
  for (let round = -1; round < rounds; round++) {
    for (const [index, run] of runners.entries()) {
      const one = rate(texts, run)
      // The first round is a warm-up.
      if (round >= 0) rates[index]?.push(one)
    }
  }
  return rates.map(median)
}

function rate(texts: readonly string[], run: (text: string) => unknown): number {
  const start = performance.now()
  let done = 0
  let elapsed = 0
  while (elapsed < roundMs) {
    for (const text of texts) run(text)
    done += texts.length
    elapsed = performance.now() - start
  }
  return (done * 1000) / elapsed
}

function throughput(name: string, texts: readonly string[]): Row {
  const [our = 0, their = 0] = race(texts, [ours, rival])
  return row(name, 'texts/s', our, their)
}

function corpusThroughput(): Row {
  const corpus = readCorpus()
  const texts = corpus.map(({ text }) => text)
  let at = 0
  const next = (text: string) => {
    const { type, space } = corpus[at++ % corpus.length] ?? { type: 'auto', space: 'computer' }
    return parse(type, space, text)
  }
  const [our = 0] = race(texts, [next])
  return row('the whole corpus, each text by its type', 'texts/s', our)
}

/** Texts for which careless parsers take quadratic time. */
const pieces = { blanks: ' ', brackets: '[', braces: '{', quotes: "'", 'Action:': 'Action:' }

/** Our parser for the rival's family, on a text that repeats one piece. */
function besideRival(name: string, piece: string): Row {
  const text = only(piece, 10_000)
  const our = once(() => ours(text))
  const their = quietly(() => once(() => rival(text)))
  return row(`10000 characters of ${name}`, 'ms', our, their)
}

/** The slowest type on such a text, at three lengths. */
function growth(name: string, piece: string): Row[] {
  return [10_000, 100_000, 1_000_000].map(length => {
    const text = only(piece, length)
    const slowest = Math.max(...parserTypes.map(({ type }) => once(() => parse(type, 'computer', text))))
    return row(`${length} characters of ${name}, slowest type`, 'ms', slowest)
  })
}

/** The milliseconds for one text, the best of three. */
function once(run: () => unknown): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round++) {
    const start = performance.now()
    run()
    best = Math.min(best, performance.now() - start)
  }
  return best
}

function only(piece: string, length: number): string {
  const [text = ''] = received([`Thought: ${piece.repeat(Math.ceil(length / piece.length))}.`])
  return text
}

/** The rival logs every text without a call to the console. */
function quietly<T>(run: () => T): T {
  const { error } = console
  console.error = () => {}
  try {
    return run()
  } finally {
    console.error = error
  }
}
