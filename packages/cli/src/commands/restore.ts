import { requireCheckout, serviceEnvironment } from '../checkout.ts'
import { command } from '../command-definition.ts'

export default command({
  name: 'restore',
  summary: 'Restore a backup into an empty installation.',
  details:
    'It needs a checkout from which the service is started then. It is `npm run restore` of the checkout; docs/backup.md describes it.',
  arguments: [{ syntax: '[args...]', description: 'The options; `--help` lists them.' }],
  passesThrough: true,
  examples: [
    { command: 'sandglass restore -- --help', explanation: 'What it does, and with which options.' },
  ],
  async run(context, { args }) {
    const checkout = await requireCheckout(context.cwd)
    const { runCheckoutScript } = await import('../checkout-script.ts')
    return runCheckoutScript(checkout, 'restore', args, serviceEnvironment(context.env))
  },
})
