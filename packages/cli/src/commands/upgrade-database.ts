import { requireCheckout, serviceEnvironment } from '../checkout.ts'
import { command } from '../command-definition.ts'

export default command({
  name: 'upgrade-database',
  summary: 'Move the database of a checkout to the PostgreSQL that it comes with.',
  details:
    'It needs a checkout whose service is stopped, and refuses the database of an earlier PostgreSQL. It is `npm run upgrade-database` of the checkout; docs/backup.md describes it.',
  arguments: [{ syntax: '[args...]', description: 'The options; `--help` lists them.' }],
  passesThrough: true,
  examples: [
    { command: 'sandglass upgrade-database -- --help', explanation: 'What it does, and with which options.' },
  ],
  async run(context, { args }) {
    const checkout = await requireCheckout(context.cwd)
    const { runCheckoutScript } = await import('../checkout-script.ts')
    return runCheckoutScript(checkout, 'upgrade-database', args, serviceEnvironment(context.env))
  },
})
