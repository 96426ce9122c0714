import { command } from '../command-definition.ts'
import { UsageError } from '../failures.ts'
import { findSandboxId } from '../find-by-name.ts'
import { type PictureProtocol, pictureProtocols } from '../io/picture/protocol.ts'
import { wholeNumber } from '../quantities.ts'

const formats = ['png', 'webp', 'jpeg'] as const
type Format = (typeof formats)[number]

interface Options {
  readonly out?: string
  readonly format?: Format
  readonly settle?: number
  readonly inline?: PictureProtocol
}

export default command<Options>({
  name: 'screenshot',
  summary: 'Take a screenshot of a sandbox.',
  details:
    'Without -o, it is shown in terminals that can show pictures (kitty, iTerm and sixel), its URL is printed in others, and a pipe ' +
    'gets the picture itself.',
  arguments: [{ syntax: '<sandbox>', description: 'Its id or name.', completes: 'sandboxes' }],
  options: [
    { flags: '-o, --out <file>', description: 'Where to write it; - is stdout.', completes: 'files' },
    {
      flags: '--format <format>',
      description: 'By default that of the name of the file, or png.',
      choices: formats,
    },
    {
      flags: '--settle <ms>',
      description: 'Wait until the screen has not changed for so many milliseconds.',
      parse: wholeNumber(0, 5000),
    },
    {
      flags: '--inline <protocol>',
      description: 'Show it in the terminal in this way, whatever the terminal says of itself.',
      choices: pictureProtocols,
    },
  ],
  examples: [
    { command: 'sandglass screenshot ID -o screen.png', explanation: 'Write a screenshot to a file.' },
  ],
  async run(context, { args: [sandbox = ''], options }) {
    const { takeScreenshot } = await import('../io/picture/take-screenshot.ts')
    const { out, settle, inline } = options
    if (out !== undefined && inline) throw new UsageError('--out and --inline exclude each other.')
    if (inline && options.format && options.format !== 'png')
      throw new UsageError('Terminals show png only.', 'Leave --format out.')
    const sandboxId = await findSandboxId(context, sandbox)
    await takeScreenshot(context, sandboxId, { out, settle, inline, format: options.format ?? formatOf(out) })
  },
})

function formatOf(out = ''): Format {
  const [, ending = ''] = /\.(\w+)$/.exec(out) ?? []
  return ({ webp: 'webp', jpg: 'jpeg', jpeg: 'jpeg' } as const)[ending.toLowerCase()] ?? 'png'
}
