import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { command } from '../../command-definition.ts'
import { UsageError } from '../../failures.ts'
import { findByName } from '../../find-by-name.ts'
import { imagesKind } from '../../image-kind.ts'

export default command({
  name: 'export',
  summary: 'Download an image as one file.',
  arguments: [
    { syntax: '<image>', description: 'Its name, its id or the beginning of its id.', completes: 'images' },
    { syntax: '<file>', description: 'Where it is written; - is standard output.', completes: 'files' },
  ],
  examples: [
    { command: 'sandglass images export IMAGE image.tar', explanation: 'For another installation.' },
  ],
  async run(context, { args: [text = '', file = ''] }) {
    const { signal, stdout } = context
    if (file === '-' && stdout.isTTY)
      throw new UsageError('An image is not for a terminal.', 'Give a file, or pipe it to a program.')
    const client = await context.client()
    const { id } = await findByName(text, imagesKind(client, context))
    const bytes = await client.exportMachineImage({ imageId: id }, { signal })
    const from = Readable.fromWeb(bytes.stream as import('node:stream/web').ReadableStream)
    if (file === '-') return pipeline(from, stdout, { signal, end: false })
    // A file that has the name is complete.
    const part = `${file}.part`
    try {
      await pipeline(from, createWriteStream(part), { signal })
      await rename(part, file)
    } finally {
      await rm(part, { force: true })
    }
    context.note(`${id} is in ${file}.`)
  },
})
