import { parseOptions, type SoakOptions, usage } from './options.ts'
import { writePage } from './page.ts'
import { problemsOf, reportText } from './report.ts'
import { soak } from './soak.ts'

const say = (text: string) => void process.stderr.write(`${text}\n`)

function optionsOrExit(): SoakOptions {
  try {
    return parseOptions(process.argv.slice(2))
  } catch (error) {
    say(`${error instanceof Error ? error.message : error}\n\n${usage}`)
    process.exit(2)
  }
}

const options = optionsOrExit()
const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => {
    // Whoever presses Ctrl-C twice still gets everything removed, which takes seconds.
    if (!stop.signal.aborted) say('Ending: what was created is being removed.')
    stop.abort()
  })

const report = await soak(options, stop.signal, say)
const text = reportText(report)
process.stdout.write(`${text}\n`)
if (options.page && !stop.signal.aborted) await writePage(text)
const problems = problemsOf(report)
for (const problem of problems) say(problem)
process.exitCode = problems.length > 0 ? 1 : 0
