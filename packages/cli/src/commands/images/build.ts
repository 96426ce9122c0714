import { readFile } from 'node:fs/promises'
import type { EventFrom, Input } from '@sandglass/client'
import { command } from '../../command-definition.ts'
import type { Context } from '../../context.ts'
import { CliError, UsageError } from '../../failures.ts'
import { readText } from '../../read-text.ts'

type Body = Input<'buildMachineImage'>['body']
type BuildEvent = EventFrom<'buildMachineImage'>

interface Options {
  readonly file?: string
  readonly from?: string
  readonly apt?: string[]
  readonly run?: string[]
  readonly description?: string
}

export default command<Options>({
  name: 'build',
  summary: 'Build an image from steps, and show what they print.',
  details:
    'The steps come from a file as in docs/image-builds.md, or from options. Ctrl-C cancels the build.',
  arguments: [{ syntax: '<name>', description: 'The name of the image.' }],
  options: [
    {
      flags: '-f, --file <file>',
      description: 'JSON with `from` and `steps`; - reads standard input.',
      completes: 'files',
    },
    { flags: '--from <shape>', description: 'The shape to start from.', completes: 'shapes' },
    { flags: '--apt <package>', description: 'Install a Debian package.', isRepeatable: true },
    { flags: '--run <script>', description: 'Then run a script as root.', isRepeatable: true },
    { flags: '-d, --description <text>', description: 'What it is for.' },
  ],
  examples: [
    {
      command: "sandglass images build tools --from SHAPE --run 'echo hello > /etc/greeting'",
      explanation: 'From options.',
    },
    {
      command: `echo '{"from":{"shapeName":"SHAPE"},"steps":[{"run":"touch /etc/built"}]}' | sandglass images build other -f -`,
      explanation: 'From JSON.',
    },
  ],
  async run(context, { args: [name = ''], options }) {
    const client = await context.client()
    const body = {
      ...(await bodyOf(context, options)),
      name,
      ...(options.description && { description: options.description }),
    }
    let last: BuildEvent | undefined
    for await (const event of client.stream('buildMachineImage', { body }, { signal: context.signal })) {
      show(context, event, body)
      last = event
    }
    if (last?.event === 'failed') throw new CliError(`The build failed: ${last.reason}`)
    if (last?.event !== 'finished')
      throw new CliError('The build was cut off.', 'Run it again: finished steps are kept.')
    context.output.done(last.image, last.image.id, last.image.id)
  },
})

async function bodyOf(
  context: Context,
  { file, from, apt = [], run = [] }: Options,
): Promise<Omit<Body, 'name'>> {
  if (file)
    return parse(file === '-' ? await readText(context, '-', 'file') : await readFile(file, 'utf8'), file)
  if (!from)
    throw new UsageError('It is not known what to build.', 'Give --file, or --from with --apt and --run.')
  const steps = [...(apt.length > 0 ? [{ apt }] : []), ...run.map(script => ({ run: script }))]
  return { from: { shapeName: from }, steps }
}

function parse(text: string, file: string): Omit<Body, 'name'> {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CliError(`${file} is not valid JSON: ${(error as Error).message}.`)
  }
}

function show({ stderr, note, style }: Context, event: BuildEvent, { steps }: Body): void {
  if (event.event === 'step')
    note(style.bold(`step ${event.step + 1} of ${steps.length}${event.cached ? ', from the cache' : ''}`))
  if (event.event === 'output') stderr.write(event.text.endsWith('\n') ? event.text : `${event.text}\n`)
}
