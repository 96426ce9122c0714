import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { command } from '../../command-definition.ts'

export default command<{ description?: string; shape?: string }>({
  name: 'import',
  summary: 'Create an image from a file that was exported, here or elsewhere.',
  arguments: [
    { syntax: '<file>', description: 'The file; - is standard input.', completes: 'files' },
    { syntax: '<name>', description: 'The name of the image.' },
  ],
  options: [
    { flags: '-d, --description <text>', description: 'What it is for.' },
    { flags: '-s, --shape <name>', description: 'The shape of its sandboxes.', completes: 'shapes' },
  ],
  examples: [
    {
      command: 'sandglass images import image.tar imported',
      explanation: 'An image of another installation.',
    },
  ],
  async run(context, { args: [file = '', name = ''], options: { description, shape } }) {
    if (file !== '-') await (await open(file)).close()
    const from = file === '-' ? context.stdin : createReadStream(file)
    const client = await context.client()
    const image = await client.importMachineImage(
      {
        name,
        ...(description && { description }),
        ...(shape && { shapeName: shape }),
        body: Readable.toWeb(from) as ReadableStream<Uint8Array>,
      },
      { signal: context.signal },
    )
    context.output.done(image, image.id, image.id)
  },
})
