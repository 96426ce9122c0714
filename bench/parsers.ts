import { parse, parserTypes } from '@sandglass/parsers'
import { actionParser } from '@ui-tars/action-parser'
import { readCorpus } from '../packages/parsers/corpus/corpus.ts'

export interface Row {
  readonly name: string
  readonly ours: number
  readonly rival: number | null
  readonly ratio: number | null
  readonly unit: string
}

const rounds = 7
const roundMs = 150

/** Texts a second on one core: the best of several rounds, which alternate so that both meet the same noise. */
function race(texts: readonly string[], runners: readonly ((text: string) => unknown)[]): number[] {
  const best = runners.map(() => 0)
  for (let round = 0; round < rounds; round++) {
    for (const [index, run] of runners.entries()) best[index] = Math.max(best[index] ?? 0, rate(texts, run))
  }
  return best
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

const ours = (text: string) => parse('ui-tars', 'computer', text)
const rival = (text: string) =>
  actionParser({ prediction: text, factor: 1000, screenContext: { width: 1920, height: 1080 } })

/** Texts as they are after a request's JSON is parsed: flat strings, not joins of pieces. */
function received(texts: readonly string[]): string[] {
  return texts.map(text => JSON.parse(JSON.stringify(text)))
}

/** What UI-TARS prints in a task: a paragraph of thought and a call, of every kind in turn. */
const paragraphs = [
  'The results are in. The first of them is the page that I was asked for; it stands below the two advertisements, which I must not touch. I remember that the task wants the notes of the last release and not those of the one before, so I should not stop at the first link that mentions a release. I open the page in this tab and look for the list of releases there.',
  'I still see the dialog that asks whether to keep the changes. The file has the right name and the folder is the one from the task, so the button on the right is the one to press. Before that, I check once more that nothing else is open: the title bar shows a single document, and the panel on the left is empty. After the press the dialog should be gone and the title should lose its star; if it does not, I will have to save under another name and tell the user about it.',
  '任务栏上有浏览器的图标，桌面上没有其他窗口。按照任务的要求，我需要先打开浏览器，然后在地址栏里输入网址，最后在页面里找到下载按钮。上一步已经关闭了提示框，所以现在可以直接点击任务栏上的图标，等待浏览器窗口出现以后再继续下一步。',
  'The page is longer than the window. The table that I need comes after the second heading, so I scroll down a little further and look again. So far I have found two of the three numbers; the last one must be in the table.',
]
const calls = [
  "click(start_box='(412,338)')",
  "click(start_box='<|box_start|>(912,704)<|box_end|>')",
  "click(point='<point>57 980</point>')",
  "scroll(start_box='(500,500)', direction='down')",
  "type(content='release notes 2.4\\n')",
  "hotkey(key='ctrl s')",
  "drag(start_box='(120,300)', end_box='(640,300)')",
  "finished(content='The notes are saved.')",
]
const task = received(
  calls.flatMap((call, at) => [
    `Thought: ${paragraphs[at % paragraphs.length]}\nAction: ${call}`,
    `Thought: ${paragraphs[(at + 1) % paragraphs.length]}\nAction: ${call}`,
  ]),
)
const terse = received(calls.map(call => `Thought: Next.\nAction: ${call}`))

function throughput(name: string, texts: readonly string[]): Row {
  const [our = 0, their = 0] = race(texts, [ours, rival])
  return { name, ours: Math.round(our), rival: Math.round(their), ratio: round(our / their), unit: 'texts/s' }
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
  return {
    name: 'the whole corpus, each text by its type',
    ours: Math.round(our),
    rival: null,
    ratio: null,
    unit: 'texts/s',
  }
}

/** Milliseconds for one text, the best of three. */
function once(run: () => unknown): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round++) {
    const start = performance.now()
    run()
    best = Math.min(best, performance.now() - start)
  }
  return best
}

const pieces = { blanks: ' ', brackets: '[', braces: '{', quotes: "'", 'Action:': 'Action:' }

/** The same family as the rival's on a text that is nothing but one piece. */
function besideRival(name: string, piece: string): Row {
  const text = only(piece, 10_000)
  const our = once(() => ours(text))
  const their = quietly(() => once(() => rival(text)))
  return {
    name: `10000 characters of ${name}`,
    ours: round(our),
    rival: round(their),
    ratio: round(their / our),
    unit: 'ms',
  }
}

/** The slowest family on such a text, at three lengths. */
function growth(name: string, piece: string): Row[] {
  return [10_000, 100_000, 1_000_000].map(length => {
    const text = only(piece, length)
    const slowest = Math.max(...parserTypes.map(({ type }) => once(() => parse(type, 'computer', text))))
    return {
      name: `${length} characters of ${name}, slowest type`,
      ours: round(slowest),
      rival: null,
      ratio: null,
      unit: 'ms',
    }
  })
}

function only(piece: string, length: number): string {
  const [text = ''] = received([`Thought: ${piece.repeat(Math.ceil(length / piece.length))}.`])
  return text
}

/** The rival complains on the console about every text without a call. */
function quietly<T>(run: () => T): T {
  const { error } = console
  console.error = () => {}
  try {
    return run()
  } finally {
    console.error = error
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

export default async function bench(): Promise<Row[]> {
  return [
    throughput('UI-TARS in a task: a paragraph and a call', task),
    throughput('UI-TARS at its tersest: a word and a call', terse),
    corpusThroughput(),
    ...Object.entries(pieces).map(([name, piece]) => besideRival(name, piece)),
    ...Object.entries(pieces).flatMap(([name, piece]) => growth(name, piece)),
  ]
}

if (import.meta.main) console.table(await bench())
