import { command } from '../../command-definition.ts'
import { CliError } from '../../failures.ts'
import { findSandboxId } from '../../find-by-name.ts'
import { sandboxArgument } from '../../sandbox-argument.ts'

export default command<{ description?: string; deleteSandbox?: boolean }>({
  name: 'create',
  summary: 'Save the disk of a sandbox as an image. The sandbox keeps running.',
  arguments: [sandboxArgument, { syntax: '<name>', description: 'The name of the image.' }],
  options: [
    { flags: '-d, --description <text>', description: 'What it is for.' },
    { flags: '--delete-sandbox', description: 'Delete the sandbox once the image is ready.' },
  ],
  examples: [
    {
      command: 'sandglass images create ID prepared',
      explanation: 'Further sandboxes start as this one is.',
    },
  ],
  async run(context, { args: [text = '', name = ''], options }) {
    const sandboxId = await findSandboxId(context, text)
    const client = await context.client()
    // Not with the signal: the service goes on, and the image has an id that is worth knowing.
    const image = await client.createMachineImage({ body: { sandboxId, name, ...options } })
    context.output.done(image, image.id, image.id)
    if (image.status === 'ERROR') throw new CliError(`The image failed: ${image.reason}`)
  },
})
