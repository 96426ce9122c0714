import { requireCheckout, serviceEnvironment } from '../checkout.ts'
import { command } from '../command-definition.ts'

export default command({
  name: 'backup',
  summary: 'Back up the service of this checkout, while it runs.',
  details:
    'It needs a checkout whose service it backs up. It is `npm run backup` of the checkout; docs/backup.md describes it.',
  arguments: [{ syntax: '[args...]', description: 'The options; `--help` lists them.' }],
  passesThrough: true,
  examples: [{ command: 'sandglass backup -- --help', explanation: 'What it does, and with which options.' }],
  async run(context, { args }) {
    const checkout = await requireCheckout(context.cwd)
    const { runCheckoutScript } = await import('../checkout-script.ts')
    return runCheckoutScript(checkout, 'backup', args, serviceEnvironment(context.env))
  },
})
